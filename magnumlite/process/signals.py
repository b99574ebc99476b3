"""Signals as values that the main thread takes at a place of its choosing."""

import contextlib
import os
import select
import signal
import types
from collections.abc import Iterator

#: Signals that the parent answers; all of them end a process that has no handler for them.
ANSWERED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)

#: More signals than can pile up between two looks.
_READ_SIZE = 4096


class Inbox:
    """The signals this process received, in their order.

    A handler of Python's runs between two bytecodes of whatever the main thread does; this one
    does nothing, and the number travels through the wake-up descriptor. Signals are not blocked:
    a command that a driver starts would inherit that.
    """

    def __init__(self) -> None:
        self._read, self._write = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)

    def open(self) -> None:
        """Take :data:`ANSWERED` and SIGCHLD from now on. Main thread only."""
        signal.set_wakeup_fd(self._write, warn_on_full_buffer=False)
        for number in (*ANSWERED, signal.SIGCHLD):
            signal.signal(number, _wake)

    def close(self) -> None:
        """Give the descriptors back; the handlers stay and do nothing. Main thread only."""
        signal.set_wakeup_fd(-1)
        os.close(self._read)
        os.close(self._write)

    def wait(self, seconds: float) -> list[int]:
        """Return the numbers received; an empty list when none came within ``seconds``."""
        ready, _, _ = select.select([self._read], [], [], seconds)
        return list(os.read(self._read, _READ_SIZE)) if ready else []


@contextlib.contextmanager
def held() -> Iterator[None]:
    """Hold back :data:`ANSWERED` inside the block; they are delivered at its end.

    A fork inside the block hands the held mask to the child, which calls :func:`let_go` when
    its own handlers stand.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, ANSWERED)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def let_go() -> None:
    """Deliver what :func:`held` held back in a forked child."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, ANSWERED)


def _wake(number: int, frame: types.FrameType | None) -> None:
    """Do nothing: the wake-up descriptor carries the number."""
