"""Conductor hosts as processes, and what can be done to them."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import pathlib
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator

import psutil

from tests.faults.scale import AMPLE

ROOT = pathlib.Path(__file__).parents[2]
DRIVER = pathlib.Path(__file__).parent / "driver"
COMMAND = [sys.executable, "-m", "magnumlite.cmd.conductor"]

#: Seconds between two looks at processes.
LOOK = 0.05


@dataclasses.dataclass(frozen=True)
class Seen:
    """A process of a host: what it is, and its life as an interval of time.time()."""

    host: str
    kind: str
    process: psutil.Process


class Host:
    """One conductor: a parent that is started again whenever it ends, as systemd would."""

    def __init__(self, name: str, directory: pathlib.Path, options: dict[str, str]) -> None:
        self.name = name
        self.log = directory / f"{name}.log"
        self._config = directory / f"{name}.conf"
        self._directory = directory
        self._process: subprocess.Popen[bytes] | None = None
        self._config.write_text(_text({**options, "host": name}))

    def start(self) -> None:
        """Start it; what it logs is added to its log."""
        path = [str(DRIVER), str(ROOT), os.environ.get("PYTHONPATH", "")]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                [*COMMAND, "--config-file", str(self._config)],
                cwd=self._directory,
                env={
                    **os.environ,
                    "PYTHONPATH": os.pathsep.join(filter(None, path)),
                    "FAULTS_DIRECTORY": str(self._directory),
                },
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )

    def ended(self) -> bool:
        """Tell whether the parent has ended."""
        return self._process is not None and self._process.poll() is not None

    def text(self) -> str:
        """Return all that was logged."""
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def processes(self) -> list[Seen]:
        """Return what lives: the parent, the supervisor, the workers."""
        if self._process is None or self.ended():
            return []
        found = []
        with contextlib.suppress(psutil.NoSuchProcess, ProcessLookupError):
            parent = psutil.Process(self._process.pid)
            found.append(Seen(self.name, "parent", parent))
            for child in parent.children():
                leads = os.getsid(child.pid) == child.pid
                found.append(Seen(self.name, "supervisor" if leads else "other", child))
                for worker in child.children():
                    found.append(Seen(self.name, "worker", worker))
        return [one for one in found if one.kind != "other"]

    def send(self, number: signal.Signals) -> None:
        """Send the parent a signal."""
        assert self._process is not None
        self._process.send_signal(number)

    def wait(self, seconds: float = AMPLE) -> int:
        """Return the parent's exit status."""
        assert self._process is not None
        return self._process.wait(seconds)

    def kill(self) -> None:
        """Kill the whole tree."""
        for one in reversed(self.processes()):
            with contextlib.suppress(psutil.NoSuchProcess):
                one.process.resume()
                one.process.kill()
        if self._process is not None:
            self._process.kill()
            self._process.wait()


class Fleet:
    """Hosts that share a broker and a database; a thread watches who lives."""

    def __init__(self, directory: pathlib.Path, options: dict[str, str], names: list[str]) -> None:
        self.directory = directory
        self.hosts = [Host(name, directory, options) for name in names]
        self._workers = int(options["conductor.workers"])
        self._ended_at: dict[int, float] = {}
        self._seen: dict[int, Seen] = {}
        self._revive = False
        self._stop = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def start(self) -> None:
        """Start all hosts and return when all their workers consume."""
        for host in self.hosts:
            host.start()
        self._watch.start()
        for host in self.hosts:
            self.ready(host)

    def ready(self, host: Host, times: int = 1) -> None:
        """Return when all workers of a host consume, for the nth time."""
        text = f"{self._workers} of {self._workers} RPC workers consume"
        until(lambda: host.text().count(text) >= times, f"workers of {host.name}", host.text)

    @contextlib.contextmanager
    def reviving(self) -> Iterator[None]:
        """Start hosts again when their parents end, inside the block and after it."""
        self._revive = True
        yield

    def stop(self) -> None:
        """End everything."""
        self._stop.set()
        self._watch.join()
        for host in self.hosts:
            host.kill()
        for one in self._seen.values():
            with contextlib.suppress(psutil.NoSuchProcess):
                one.process.resume()
                one.process.kill()

    def processes(self) -> list[Seen]:
        """Return what lives."""
        return [one for host in self.hosts for one in host.processes()]

    def kill_one(self, chance: random.Random) -> Seen | None:
        """Kill one process, a worker every other time, as the out-of-memory killer would."""
        alive = self.processes()
        workers = [one for one in alive if one.kind == "worker"]
        if workers and chance.random() < 0.5:
            alive = workers
        if not alive:
            return None
        victim = chance.choice(alive)
        with contextlib.suppress(psutil.NoSuchProcess):
            victim.process.kill()
        return victim

    def ended_at(self, pid: int) -> float:
        """Return when a process was first missed, for ever if it lives."""
        return self._ended_at.get(pid, float("inf"))

    def text(self) -> str:
        """Return what all hosts have logged."""
        return "".join(host.text() for host in self.hosts)

    def _look(self) -> None:
        while not self._stop.wait(LOOK):
            for host in self.hosts:
                if self._revive and host.ended():
                    host.start()
                self._seen.update((one.process.pid, one) for one in host.processes())
            for pid, one in self._seen.items():
                if pid not in self._ended_at and not _lives(one.process):
                    self._ended_at[pid] = time.time()


def until(
    condition: Callable[[], object],
    what: str,
    tell: Callable[[], str] = lambda: "",
    seconds: float = AMPLE,
) -> None:
    """Return when a condition holds; fail with what `tell` returns when it never does."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"no {what}:\n{tell()[-20000:]}"
        time.sleep(LOOK)


def _lives(process: psutil.Process) -> bool:
    try:
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def _text(options: dict[str, str]) -> str:
    lines = []
    for name, value in options.items():
        group, _, option = name.rpartition(".")
        lines.append(f"[{group or 'DEFAULT'}]\n{option} = {value}\n")
    return "".join(lines)
