"""A process tree under test."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import psutil

ROOT = pathlib.Path(__file__).parents[3]

#: The command that runs a tree of stand-ins.
STAND_IN = [sys.executable, "-m", "tests.functional.process.stand_in"]

#: Seconds that a test waits for what must come: ample, no test asserts a time it could miss.
AMPLE = 60.0


class Tree:
    """A parent that was started as a command, with what it wrote."""

    def __init__(
        self,
        directory: pathlib.Path,
        command: list[str],
        options: dict[str, str],
        environment: dict[str, str],
    ) -> None:
        self.directory = directory
        self.log = directory / "log"
        self.config = directory / "magnum.conf"
        self.configure(options)
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [*command, "--config-file", str(self.config)],
                cwd=ROOT,
                env={**os.environ, **environment},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        #: Every process of the tree that was ever seen.
        self.seen: dict[int, psutil.Process] = {}

    def configure(self, options: dict[str, str]) -> None:
        """Write options ("group.name": value) to the configuration file."""
        lines = []
        for name, value in options.items():
            group, _, option = name.rpartition(".")
            lines.append(f"[{group or 'DEFAULT'}]\n{option} = {value}\n")
        self.config.write_text("".join(lines))

    def look(self) -> list[psutil.Process]:
        """Return the processes below the parent."""
        with contextlib.suppress(psutil.NoSuchProcess):
            found = psutil.Process(self.process.pid).children(recursive=True)
            self.seen.update((process.pid, process) for process in found)
            return list(found)
        return []

    def supervisor(self) -> psutil.Process:
        """Return the one child that leads a session and has children."""
        children = psutil.Process(self.process.pid).children()
        self.seen.update((process.pid, process) for process in children)
        (found,) = [child for child in children if os.getsid(child.pid) == child.pid]
        return found

    def workers(self) -> list[int]:
        """Return the pids of the workers, sorted."""
        children = self.supervisor().children()
        self.seen.update((process.pid, process) for process in children)
        return sorted(child.pid for child in children)

    def text(self) -> str:
        """Return what was logged until now."""
        return self.log.read_text(errors="replace")

    def wait_for(self, text: str, times: int = 1) -> None:
        """Return when a text was logged so often."""
        self.until(lambda: self.text().count(text) >= times, f"{times} x {text!r}")

    def wait_for_file(self, name: str) -> str:
        """Return the content of a file that a stand-in leaves."""
        path = self.directory / name
        self.until(path.exists, name)
        return path.read_text()

    def until(self, condition: Callable[[], bool], what: str) -> None:
        """Return when a condition holds."""
        end = time.monotonic() + AMPLE
        while not condition():
            assert time.monotonic() < end, f"no {what} in:\n{self.text()}"
            time.sleep(0.05)

    def send(self, number: signal.Signals) -> None:
        """Send the parent a signal."""
        self.process.send_signal(number)

    def wait(self) -> int:
        """Return the parent's exit status when it has ended."""
        try:
            return self.process.wait(AMPLE)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the parent does not end:\n{self.text()}") from None

    def left(self) -> list[int]:
        """Return the pids that are still there, as far as they were seen, after a moment."""
        return [process.pid for process in psutil.wait_procs(self.seen.values(), AMPLE)[1]]

    def end(self) -> None:
        """Kill whatever is left."""
        self.look()
        for process in [*self.seen.values()]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        self.process.kill()
        self.process.wait()


@contextlib.contextmanager
def stand_in(
    directory: pathlib.Path,
    options: dict[str, str] | None = None,
    environment: dict[str, str] | None = None,
    **script: object,
) -> Iterator[Tree]:
    """Run a tree of stand-ins; ``script`` is for stand_in.Script."""
    tree = Tree(
        directory,
        STAND_IN,
        {"conductor.workers": "2", "use_stderr": "true", **(options or {})},
        {"STAND_IN": json.dumps({"directory": str(directory), **script}), **(environment or {})},
    )
    try:
        yield tree
    finally:
        tree.end()
