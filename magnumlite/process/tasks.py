"""The parent's periodic tasks, kept off its main thread."""

import threading
import time
from collections.abc import Callable
from typing import Protocol

from oslo_log import log

from magnumlite.process import announce, drain

LOG = log.getLogger(__name__)

#: Seconds that the tasks wait at their start for a worker that consumes, so that the first
#: heartbeat already reports this host up.
_HEAD_START = 10.0


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

    def __init__(self, host: str, consuming: Callable[[], bool], make: MakePeriodic) -> None:
        self._host = host
        self._consuming = consuming
        self._make = make
        self._stop = threading.Event()
        # Not the thread's is_alive(): eventlet, which a driver may import, makes another copy of
        # the module threading, and in CPython up to 3.12 that hides the end of the thread.
        self._ended = threading.Event()
        self._patience = drain.Patience(None)
        self._asked_at: float | None = None
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
        return self._ended.is_set()

    def late(self) -> bool:
        """Tell whether jobs still run although their time is over."""
        return not self.ended() and self._patience.over()

    def silent(self) -> float:
        """Seconds since the tasks' last sign of life: each heartbeat asks for the workers'."""
        return 0.0 if self._asked_at is None else time.monotonic() - self._asked_at

    def _asks(self) -> bool:
        self._asked_at = time.monotonic()
        return self._consuming()

    def _run(self) -> None:
        try:
            announce.drivers()
            head_start = drain.Patience(_HEAD_START)
            while not (self._consuming() or head_start.over() or self._stop.wait(0.05)):
                pass
            self._asked_at = time.monotonic()
            periodic = self._make(self._host, self._asks)
            periodic.start()
            self._stop.wait()
            periodic.stop()
            periodic.wait()
        except Exception:
            LOG.exception("The periodic tasks of %s ended by an unexpected error", self._host)
        finally:
            self._ended.set()
