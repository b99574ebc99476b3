"""Breaker: holds back a group of jobs most of which hang, but for a probe a cycle."""

from __future__ import annotations

import collections

#: Hung jobs that it takes to judge a group.
EVIDENCE = 8

#: Periods before the newest that are remembered.
KEPT = 2


class Breaker:
    """The record of one group.

    Jobs are counted by the period in which they *started*, never by when they were judged: a
    hung job is only known one period later, when the quick ones of its time are long done.
    Nothing is said from a period until a job that began in it is found hung.
    """

    def __init__(self, period: float) -> None:
        """`period`: seconds after which a running job counts as hung."""
        self.is_open = False
        self._period = period
        self._returned: collections.Counter[int] = collections.Counter()
        self._hung: collections.Counter[int] = collections.Counter()
        self._probe_used = False

    def admits(self) -> bool:
        """Tell whether a job may start now; uses up the probe of the cycle when open."""
        if not self.is_open:
            return True
        if self._probe_used:
            return False
        self._probe_used = True
        return True

    def new_cycle(self) -> None:
        """Allow the next probe."""
        self._probe_used = False

    def returned(self, started: float) -> None:
        """Count a job that ended within the period; a probe that does closes the breaker."""
        self._count(self._returned, started)
        self.is_open = False

    def hung(self, started: float) -> bool:
        """Count a job that has run for the period; tell whether most of its time hang."""
        slot = self._count(self._hung, started)
        return self._hung[slot] >= EVIDENCE and self._hung[slot] > self._returned[slot]

    def _count(self, counts: collections.Counter[int], started: float) -> int:
        """Count one in the period of its start, and return that; forget what is long past."""
        slot = int(started // self._period)
        if slot not in counts:
            for old in [each for each in counts if each < slot - KEPT]:
                del counts[old]
        counts[slot] += 1
        return slot
