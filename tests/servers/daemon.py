"""A server that a test run starts for itself, and may stop, kill, freeze and start again."""

import abc
import concurrent.futures
import contextlib
import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import psutil

# Not in the range the kernel gives to outgoing connections, and apart from those of the
# other workers of the run, so that nobody takes the port of a server while a test has it stopped.
_WORKER = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
_WORKERS = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
PORTS = range(10000 + _WORKER, 32000, _WORKERS)

# The kernel ends a server when the thread that started it ends (setpriv
# --pdeathsig below), so a single thread that lives as long as the run starts all.
_launcher = concurrent.futures.ThreadPoolExecutor(1, thread_name_prefix="servers")


class Missing(Exception):
    """A server's program is not installed; the text names the package that brings it."""


def free_port() -> int:
    """Return a loopback port that nobody listens on."""
    for port in random.sample(PORTS, 200):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("no free port on 127.0.0.1")


def answers(port: int) -> bool:
    """Tell whether something accepts connections on a loopback port."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


def program(name: str, package: str, *places: str) -> str:
    """Return the path of a server's program; Debian keeps some outside PATH.

    Raises: Missing.
    """
    search = os.pathsep.join([*places, os.environ.get("PATH", os.defpath), "/usr/sbin"])
    found = shutil.which(name, path=search)
    if found is None:
        raise Missing(f"{name} is not installed (Debian package {package})")
    return found


class Daemon(abc.ABC):
    """One server process with its data in a directory of its own.

    The port stays the same over stop, kill and start; so does the data.
    """

    name: ClassVar[str]
    last_wish: ClassVar[str] = "TERM"  # signal for a clean stop, also when the run dies
    user: str | None = None

    def __init__(self, directory: Path) -> None:
        """Give the server its directory, which exists and is empty."""
        self.directory = directory
        self.port = free_port()
        self.log = directory / f"{self.name}.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._prepared = False

    @abc.abstractmethod
    def prepare(self) -> None:
        """Write configuration and make empty data; called once, before the first start."""

    @abc.abstractmethod
    def command(self) -> Sequence[str]:
        """Return the command that runs the server in the foreground."""

    @abc.abstractmethod
    def ready(self) -> bool:
        """Tell whether the server that was started can be used."""

    @property
    @abc.abstractmethod
    def url(self) -> str:
        """Where clients find it."""

    def environment(self) -> Mapping[str, str]:
        """Return the whole environment of the server: nothing leaks in from the run's."""
        return {
            "PATH": f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/sbin",
            "HOME": str(self.directory),
            "LANG": "C.UTF-8",
        }

    @property
    def running(self) -> bool:
        """Whether the process lives (it may be frozen)."""
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        """The process id of the running server."""
        assert self._process is not None
        return self._process.pid

    def start(self, timeout: float = 60) -> None:
        """Start the server if it does not run, and return when it can be used.

        Raises: RuntimeError with the end of its log.
        """
        if self.running:
            self.thaw()
            return
        if not self._prepared:
            self.prepare()
            self._prepared = True
        self._process = self.launch(self.command(), self.log, self.last_wish)
        if not wait(lambda: not self.running or self.ready(), timeout) or not self.running:
            tail = self.log.read_text(errors="replace")[-2000:]
            self.kill()
            raise RuntimeError(f"{self.name} did not start:\n{tail}")

    def launch(self, command: Sequence[str], log: Path, wish: str) -> subprocess.Popen[bytes]:
        """Run a command in a session of its own that ends with this test run."""
        wrapped = ["setpriv", "--pdeathsig", wish]
        if self.user is not None:
            wrapped += ["--reuid", self.user, "--regid", self.user, "--clear-groups"]
        with log.open("ab") as output:
            start = _launcher.submit(
                subprocess.Popen[bytes],
                [*wrapped, *command],
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=dict(self.environment()),
                cwd=self.directory,
                start_new_session=True,
            )
            return start.result()

    def run(self, command: Sequence[str]) -> str:
        """Run a command of the server's to its end and return what it printed.

        Raises: RuntimeError with what it printed.
        """
        wrapped: list[str] = []
        if self.user is not None:
            wrapped = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups"]
        done = subprocess.run(
            [*wrapped, *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env=dict(self.environment()),
            cwd=self.directory,
            text=True,
            timeout=120,
        )
        if done.returncode:
            raise RuntimeError(f"{' '.join(command)}: {done.stdout[-2000:]}")
        return done.stdout

    def stop(self, timeout: float = 30) -> None:
        """Stop the server cleanly; killed when it has not ended in time (seconds)."""
        if self._process is None:
            return
        self.thaw()
        if self.running:
            self._process.send_signal(getattr(signal, f"SIG{self.last_wish}"))
            wait(lambda: not self.running, timeout)
        self.kill()

    def kill(self) -> None:
        """Kill the server and all its children at once, as a power cut would."""
        if self._process is None:
            return
        family = self._family()
        for member in family:
            _tolerant(member.kill)
        psutil.wait_procs(family, timeout=10)
        self._process.wait(10)
        self._process = None

    def freeze(self) -> None:
        """Stop the clock of the server: connections stay open and nothing answers."""
        for member in self._family():
            _tolerant(member.suspend)

    def thaw(self) -> None:
        """Let a frozen server go on."""
        for member in self._family():
            _tolerant(member.resume)

    def close(self) -> None:
        """End everything that was started for this server."""
        self.stop()

    def _family(self) -> list[psutil.Process]:
        if self._process is None:
            return []
        try:
            head = psutil.Process(self._process.pid)
            return [head, *head.children(recursive=True)]
        except psutil.NoSuchProcess:
            return []


def wait(condition: Callable[[], bool], timeout: float, interval: float = 0.05) -> bool:
    """Poll a condition until it holds; tell whether it did before the timeout (seconds)."""
    end = time.monotonic() + timeout
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(interval)
    return True


def _tolerant(action: Callable[[], None]) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        action()
