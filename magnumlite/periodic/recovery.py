"""Recovery: ends what dead processes left in the journal, with each status cycle."""

from __future__ import annotations

from collections.abc import Callable

from magnumlite.context import RequestContext
from magnumlite.journal import recovery

#: A place on the fleet's ring like a cluster's: its owner does the work for all hosts.
KEY = "recovery"


def due(context: RequestContext, owns: Callable[[str], bool]) -> None:
    """Run the journal's recovery on the one host whose turn it is; on several it does no harm.

    Raises:
        DBError: the database is away.
    """
    if owns(KEY):
        recovery.sweep(context)
