"""Spreads a sweep over its interval: each key has a moment of its own, the same every time."""

from __future__ import annotations

import zlib
from collections.abc import Collection

#: A key seen for the first time waits at most this share of the interval.
FIRST = 0.25


class Phases:
    """Tells when keys are due. Times are seconds of one clock. Not safe for threads."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._next: dict[str, float] = {}

    def due(self, keys: Collection[str], now: float, ahead: float = 0.0) -> dict[str, float]:
        """Return those of `keys` whose moment comes in the next `ahead` seconds, or has come.

        Each has the seconds until then, 0 for one that is late. `keys` are all there are; what
        is not among them is forgotten. A new one gets its first turn within a quarter of the
        interval, later ones an interval apart.
        """
        planned = {key: self._next.get(key, now + self._first(key)) for key in keys}
        due = {key: max(0.0, at - now) for key, at in planned.items() if at <= now + ahead}
        planned.update((key, self._after(key, now + wait)) for key, wait in due.items())
        self._next = planned
        return due

    def _first(self, key: str) -> float:
        return _share(key) * FIRST * self._interval

    def _after(self, key: str, now: float) -> float:
        """Return the key's moment nearest to an interval from now."""
        offset = _share(key) * self._interval
        turns = round((now + self._interval - offset) / self._interval)
        return turns * self._interval + offset


def _share(key: str) -> float:
    return zlib.crc32(key.encode()) / 2**32
