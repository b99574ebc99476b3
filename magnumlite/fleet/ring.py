"""Ring: spreads clusters over hosts so that few move when a host comes or goes."""

from __future__ import annotations

import bisect
import hashlib
from collections.abc import Iterable


class Ring:
    """A consistent hash ring; hosts that see the same members agree, whatever their release.

    Each host has `points` places on the ring; a key belongs to the host of the next place.
    """

    def __init__(self, hosts: Iterable[str], points: int) -> None:
        self.hosts = frozenset(hosts)
        placed = sorted(
            (_position(f"{host}#{point}"), host) for host in self.hosts for point in range(points)
        )
        self._positions = [position for position, _ in placed]
        self._owners = [host for _, host in placed]

    def owner(self, key: str) -> str | None:
        """Return the host that `key` belongs to; None when there is no host."""
        if not self._positions:
            return None
        place = bisect.bisect(self._positions, _position(key))
        return self._owners[place % len(self._owners)]


def _position(text: str) -> int:
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")
