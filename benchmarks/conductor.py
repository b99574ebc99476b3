"""A conductor under measurement: a process tree that was started as a command."""

import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks import processes
from benchmarks.wire import Client


class Conductor:
    """A conductor that runs."""

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        log: Path,
        port: int,
        vhost: str,
    ) -> None:
        self._log, self._port, self._vhost = log, port, vhost
        self._begun = time.time()
        with log.open("w") as output:
            self._process = subprocess.Popen(
                command,
                env={**os.environ, **environment},
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.pid = self._process.pid

    def client(self) -> Client:
        """Return a client of the virtual host it consumes from."""
        return Client(self._port, self._vhost)

    def wait_ready(self, consumers: int = 1, timeout: float = 60) -> float:
        """Wait for consumers, then for the reply to a ping; return seconds since its start.

        Raises: RuntimeError or TimeoutError when they do not come.
        """
        with self.client() as client:
            while client.consumers() < consumers:
                if self._process.poll() is not None:
                    raise RuntimeError(f"the conductor ended by itself, see {self._log.name}")
                if time.time() > self._begun + timeout:
                    raise TimeoutError("the conductor is not ready")
                time.sleep(0.02)
            client.call(("ping_conductor", {}), timeout=timeout)
        return time.time() - self._begun

    def settle(self, timeout: float = 30) -> None:
        """Wait until it has been idle for a second."""
        end = time.time() + timeout
        busy = True
        while busy and time.time() < end:
            before = processes.usage(self.pid).cpu
            time.sleep(1)
            busy = processes.usage(self.pid).cpu - before > 0.1

    def term(self, limit: float = 5) -> tuple[float | None, int | None]:
        """Send TERM, and KILL after `limit` seconds; return seconds and exit status.

        Both are None when it had to be killed.
        """
        begun = time.time()
        took = code = None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            try:
                code = self._process.wait(limit)
                took = time.time() - begun
            except subprocess.TimeoutExpired:
                pass
        self.kill()
        return took, code

    def kill(self) -> None:
        """Kill every process of the tree at once."""
        for pid in processes.tree(self.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
        self._process.wait()

    def errors(self) -> int:
        """Return how many errors it has logged."""
        return sum(
            " ERROR " in line or line.startswith("Traceback")
            for line in self._log.read_text(errors="replace").splitlines()
        )
