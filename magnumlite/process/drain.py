"""How long each process may take to stop, and the end of a process.

The limits nest, so that each process ends by itself before the one above loses patience:
handlers get ``[DEFAULT]graceful_shutdown_timeout``, then a worker's alarm rings after
:data:`WORKER_MARGIN` more seconds, then the parent kills what is left after another
:data:`PARENT_MARGIN`.
"""

import logging
import os
import sys
import time
from typing import NoReturn

from magnumlite.conf import CONF

#: Seconds for a worker to close its connections after the handlers' limit.
WORKER_MARGIN = 15
#: Seconds for supervisor and workers to be gone after that.
PARENT_MARGIN = 5
#: Seconds that a worker waits for its start to end when it is told to stop meanwhile.
START_GRACE = 5


def limit() -> int | None:
    """Seconds that running handlers may take to finish; None when there is no limit.

    Source: oslo.service, ``graceful_shutdown_timeout``: 0 is an endless wait.
    """
    return CONF.graceful_shutdown_timeout or None


def worker_limit() -> int:
    """Seconds until a stopping worker is ended by its alarm; 0 when there is no limit."""
    seconds = limit()
    return 0 if seconds is None else seconds + WORKER_MARGIN


class Patience:
    """A stretch of time that is running out; one without end never does."""

    def __init__(self, seconds: float | None) -> None:
        self._until = None if seconds is None else time.monotonic() + seconds

    def left(self) -> float | None:
        """Seconds left, at least 0; None when it has no end."""
        return None if self._until is None else max(0.0, self._until - time.monotonic())

    def over(self) -> bool:
        """Tell whether it ran out."""
        return self.left() == 0


def parent_patience() -> Patience:
    """Return the time the parent gives to supervisor and workers, from now."""
    seconds = worker_limit()
    return Patience(seconds + PARENT_MARGIN if seconds else None)


def leave(code: int) -> NoReturn:
    """End this process now with ``code``; what was logged and printed is out.

    A thread that hangs in a driver must not hold the process, as the interpreter's own exit
    would let it (known defect B05).
    """
    logging.shutdown()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
