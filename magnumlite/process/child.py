"""Fork a child that does not outlive its parent."""

import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable

from oslo_log import log

from magnumlite.process import signals

LOG = log.getLogger(__name__)

#: From <linux/prctl.h>.
_PR_SET_PDEATHSIG = 1


class Child:
    """A forked child of this process."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._status: int | None = None

    def status(self) -> int | None:
        """Return how it ended, below zero for a signal; None while it runs."""
        if self._status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status

    def tell(self, number: signal.Signals) -> None:
        """Send it a signal; nothing when it has ended."""
        if self.status() is None:
            os.kill(self.pid, number)

    def end(self) -> None:
        """Kill it, and wait until it has ended; nothing when it has."""
        self.tell(signal.SIGKILL)
        if self.status() is None:
            os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)


def ending(status: int) -> str:
    """Return how a process ended as text; ``status`` below zero is the signal that ended it."""
    return f"status {status}" if status >= 0 else signal.Signals(-status).name


def fork(run: Callable[[], int]) -> Child:
    """Run ``run`` in a forked child, which exits with what it returns.

    The child starts with the signals of :data:`signals.ANSWERED` held; ``run`` lets them go. It
    gets SIGTERM when this process ends, however it ends.

    Pre: called from the main thread (the kernel sends that signal when the forking *thread*
    ends), with no other thread alive (a lock one of them holds would stay locked in the child).
    """
    if threading.current_thread() is not threading.main_thread():
        raise RuntimeError("a child that follows its parent must be forked from the main thread")
    others = [thread.name for thread in threading.enumerate()][1:]
    if others:
        LOG.warning("Forking while other threads are alive: %s", ", ".join(others))
    sys.stdout.flush()
    sys.stderr.flush()
    parent = os.getpid()
    with signals.held():
        pid = os.fork()
        if pid == 0:
            _be_child(run, parent)
    return Child(pid)


def _be_child(run: Callable[[], int], parent: int) -> None:
    code = 1
    try:
        # The parent's wake-up descriptor is shared: this process must not write there.
        signal.set_wakeup_fd(-1)
        _die_with(parent)
        code = run()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else 1
    except BaseException:
        # Whatever it is, it must not run on into the parent's frames.
        LOG.exception("Process %d ends by an unexpected error", os.getpid())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _die_with(parent: int) -> None:
    """Have the kernel send SIGTERM when ``parent`` ends; exit when it has already."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0) != 0:
        LOG.warning("PR_SET_PDEATHSIG refused: %s", os.strerror(ctypes.get_errno()))
    if os.getppid() != parent:
        os._exit(1)
