"""A conductor's process tree whose workers and periodic tasks are stand-ins.

    python -m tests.functional.process.stand_in --config-file FILE

It does what the JSON object in STAND_IN says; see Script.
"""

import dataclasses
import json
import os
import pathlib
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import oslo_messaging

from magnumlite import compat, conf
from magnumlite.conf import CONF
from magnumlite.process import drain, supervisor
from magnumlite.process.parent import Parent


@dataclasses.dataclass
class Script:
    """What the stand-ins do."""

    directory: str
    jobs: int = 0  # handlers that each worker runs from its start
    job_seconds: float = 0.0
    start: str = "ok"  # "hang", "refused once", "crash once"
    check: str = "ok"  # "wait", "refuse"
    command: bool = False  # each worker runs a command, as a driver would
    periodic: str = "ok"  # "crash", "hang"

    def note(self, name: str, text: object = "") -> None:
        """Leave a file for the test."""
        (pathlib.Path(self.directory) / name).write_text(str(text))

    def there(self, name: str) -> bool:
        return (pathlib.Path(self.directory) / name).exists()


SCRIPT = Script(**json.loads(os.environ["STAND_IN"]))


class StandInConductor:
    def __init__(self, host: str, index: int) -> None:
        self._index = index
        self._consuming = False
        self._jobs: list[threading.Thread] = []

    def start(self) -> None:
        SCRIPT.note(f"threads-{self._index}", [t.name for t in threading.enumerate()])
        if SCRIPT.start == "hang":
            time.sleep(3600)
        if SCRIPT.start == "refused once" and not SCRIPT.there("refused"):
            SCRIPT.note("refused")
            raise oslo_messaging.MessagingException("the broker refuses us")
        if SCRIPT.start == "crash once" and not SCRIPT.there("crashed"):
            SCRIPT.note("crashed")
            raise RuntimeError("the first start crashes")
        if SCRIPT.command:
            command = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"])
            SCRIPT.note(f"command-{self._index}", command.pid)
        for number in range(SCRIPT.jobs):
            self._jobs.append(threading.Thread(target=self._job, args=(number,), daemon=True))
            self._jobs[-1].start()
        self._consuming = True

    def _job(self, number: int) -> None:
        time.sleep(SCRIPT.job_seconds)
        SCRIPT.note(f"done-{self._index}-{number}", os.getpid())

    def stop(self, timeout: float | None) -> bool:
        self._consuming = False
        SCRIPT.note(f"stopping-{self._index}")
        until = None if timeout is None else time.monotonic() + timeout
        for job in self._jobs:
            job.join(None if until is None else max(0, until - time.monotonic()))
        SCRIPT.note(f"stopped-{self._index}")
        return not any(job.is_alive() for job in self._jobs)

    def consuming(self) -> bool:
        return self._consuming and not SCRIPT.there(f"rest-{self._index}")


class StandInPeriodic:
    def __init__(self, host: str, consuming: Callable[[], bool]) -> None:
        self._consuming = consuming
        self._stop = threading.Event()
        # Not a daemon, as the threads of an executor: the interpreter would wait for it.
        self._thread = threading.Thread(target=self._run)

    def start(self) -> None:
        if SCRIPT.periodic == "crash":
            raise RuntimeError("the periodic tasks crash")
        self._thread.start()

    def _run(self) -> None:
        while not self._stop.wait(0.05):
            SCRIPT.note("up", self._consuming())
        if SCRIPT.periodic == "hang":
            time.sleep(3600)

    def stop(self) -> None:
        self._stop.set()

    def wait(self) -> None:
        self._thread.join()


def check() -> int:
    SCRIPT.note("checked", os.getpid())
    if SCRIPT.check == "wait":
        time.sleep(3600)
    return 1 if SCRIPT.check == "refuse" else 0


def main() -> None:
    compat.install()
    conf.parse(sys.argv[1:])
    parent = Parent(
        CONF.host,
        supervisor.workers(),
        check=check,
        conductor=StandInConductor,
        periodic=StandInPeriodic,
    )
    drain.leave(parent.run())


if __name__ == "__main__":
    main()
