"""Shared memory in which the workers tell the parent that they consume (known defect B63)."""

import mmap
import time

#: Seconds between two beats of a worker.
INTERVAL = 1.0
#: Seconds after its last beat until a worker no longer counts as consuming.
STALE = 15.0


class Pulse:
    """Each worker's pid and the time of its last beat.

    Made before the fork, so that parent, supervisor and workers share the pages. Each worker
    writes its own two numbers only; a number is written whole, so there is no lock that a killed
    worker could keep. Times are CLOCK_MONOTONIC, which all processes of a machine share.
    """

    def __init__(self, workers: int) -> None:
        memory = memoryview(mmap.mmap(-1, 16 * workers))
        self._beats = memory[: 8 * workers].cast("d")
        self._pids = memory[8 * workers :].cast("q")
        self.workers = workers

    def joined(self, index: int, pid: int) -> None:
        """Worker ``index`` runs as ``pid`` and answers signals; it does not consume yet."""
        self._beats[index] = 0.0
        self._pids[index] = pid

    def beat(self, index: int) -> None:
        """Worker ``index`` consumes now."""
        self._beats[index] = time.monotonic()

    def rests(self, index: int) -> None:
        """Worker ``index`` does not consume any more."""
        self._beats[index] = 0.0

    def left(self, index: int) -> None:
        """Worker ``index`` is gone."""
        self._beats[index] = 0.0
        self._pids[index] = 0

    def pids(self) -> list[int]:
        """Return the pids of the workers that are there, by index."""
        return [pid for pid in self._pids if pid]

    def consuming(self) -> set[int]:
        """Return the indexes of the workers that consumed within the last :data:`STALE` s."""
        now = time.monotonic()
        return {index for index, at in enumerate(self._beats) if at and now - at < STALE}
