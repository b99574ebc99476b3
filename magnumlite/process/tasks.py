"""The parent's periodic tasks, kept off its main thread."""

import threading
from collections.abc import Callable
from typing import Protocol

from oslo_log import log

from magnumlite.process import drain

LOG = log.getLogger(__name__)


class Periodic(Protocol):
    """What the parent runs; see :class:`magnumlite.periodic.service.Periodic`."""

    def start(self) -> None:
        """Begin to run the tasks."""

    def stop(self) -> None:
        """Begin no further job."""

    def wait(self) -> None:
        """Return when the jobs in flight have ended."""


#: Makes the periodic tasks of a host, given what tells whether its workers consume.
MakePeriodic = Callable[[str, Callable[[], bool]], Periodic]


class Tasks:
    """Start, stop and wait for the periodic tasks in a thread of their own.

    Each of the three may hang in a database or a driver; the main thread must answer signals.
    """

    def __init__(self, make: Callable[[], Periodic]) -> None:
        self._make = make
        self._stop = threading.Event()
        self._patience = drain.Patience(None)
        self._thread = threading.Thread(target=self._run, name="periodic", daemon=True)

    def start(self) -> None:
        """Start the tasks."""
        self._thread.start()

    def stop(self, seconds: float | None) -> None:
        """Begin to stop; jobs in flight get ``seconds``, None for no limit."""
        self._patience = drain.Patience(seconds)
        self._stop.set()

    def ended(self) -> bool:
        """Tell whether nothing runs any more."""
        return not self._thread.is_alive()

    def late(self) -> bool:
        """Tell whether jobs still run although their time is over."""
        return not self.ended() and self._patience.over()

    def _run(self) -> None:
        try:
            periodic = self._make()
            periodic.start()
            self._stop.wait()
            periodic.stop()
            periodic.wait()
        except Exception:
            LOG.exception("The periodic tasks ended by an unexpected error")
