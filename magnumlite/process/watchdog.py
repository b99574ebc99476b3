"""Notices that the periodic tasks have come to a stand (known defect B61)."""

import sys
import threading
import traceback
from collections.abc import Callable

from oslo_log import log

from magnumlite.conf import CONF

LOG = log.getLogger(__name__)

#: Heartbeats of the service that may fail to come before its tasks count as stuck.
_MISSED = 3
#: Seconds between two heartbeats at least (contract/periodic.md).
_SPACING = 60


class Watchdog:
    """Watches how long the periodic tasks have been silent.

    ``silent`` returns the seconds since their last sign of life.
    """

    def __init__(self, silent: Callable[[], float]) -> None:
        self._silent = silent
        self._told = False

    def bites(self) -> bool:
        """Log a stand once, with what every thread does; tell whether it should end the host."""
        seconds = self._silent()
        stuck = seconds > _MISSED * max(_SPACING, CONF.periodic_interval_max)
        if stuck and not self._told:
            LOG.error(
                "The periodic tasks have given no sign of life for %d s. Threads:\n%s",
                seconds,
                _stacks(),
            )
        elif self._told and not stuck:
            LOG.info("The periodic tasks go on")
        self._told = stuck
        return stuck and bool(CONF.conductor.recycle_stuck)


def _stacks() -> str:
    names = {thread.ident: thread.name for thread in threading.enumerate()}
    return "\n".join(
        f"{names.get(ident, ident)}:\n{''.join(traceback.format_stack(frame))}"
        for ident, frame in sys._current_frames().items()
    )
