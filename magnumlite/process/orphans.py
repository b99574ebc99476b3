"""Collect ended orphans when this process is the first of a container."""

import contextlib
import os
import time

#: Seconds an ended child is left to whoever started it: a driver's thread collects at once.
PATIENCE = 60.0


class Orphans:
    """As PID 1 the parent inherits what a killed worker had started, and must collect it.

    It cannot collect every child at once: a command that a driver runs here has its own waiter,
    which would then not learn the command's status.
    """

    def __init__(self) -> None:
        self._pid = 0
        self._since = 0.0

    def collect(self) -> int:
        """Collect a child that ended :data:`PATIENCE` seconds ago; return its pid, 0 for none."""
        try:
            ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        except ChildProcessError:
            return 0
        pid = ended.si_pid if ended else 0
        now = time.monotonic()
        if pid != self._pid:
            self._pid, self._since = pid, now
        elif pid and now - self._since >= PATIENCE:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, os.WNOHANG)
            self._pid = 0
            return pid
        return 0
