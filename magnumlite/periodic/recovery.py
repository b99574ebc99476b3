"""Recovery: ends what dead processes left, with each status cycle."""

from __future__ import annotations

from collections.abc import Callable

from magnumlite.conductor import recovery

#: A place on the fleet's ring like a cluster's: its owner does the work for all hosts.
KEY = "recovery"


def due(owns: Callable[[str], bool]) -> None:
    """Run the recovery on the one host whose turn it is; on several it does no harm.

    Raises:
        DBError: the database is away.
    """
    if owns(KEY):
        recovery.sweep()
