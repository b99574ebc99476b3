"""The processes below the parent, as the parent sees them."""

import contextlib
import os
import signal

from magnumlite.process.child import Child
from magnumlite.process.pulse import Pulse


class Crew:
    """The RPC supervisor and its workers."""

    def __init__(self, supervisor: Child, pulse: Pulse) -> None:
        self.supervisor = supervisor
        self._pulse = pulse

    def pids(self) -> list[int]:
        """Return the pids that are still there. Workers may outlive a killed supervisor."""
        above = [] if self.supervisor.status() is not None else [self.supervisor.pid]
        return above + [pid for pid in self._pulse.pids() if self._is_ours(pid)]

    def kill(self) -> list[int]:
        """End all of them now; return the pids."""
        there = self.pids()
        for pid in there:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return there

    def _is_ours(self, pid: int) -> bool:
        """Tell a worker from a stranger that got its pid: workers are in the same session."""
        try:
            if os.getsid(pid) != self.supervisor.pid:
                return False
            # An orphan is ours to collect when this process is the first of a container.
            return os.waitpid(pid, os.WNOHANG)[0] == 0
        except ChildProcessError:
            return True
        except ProcessLookupError:
            return False
