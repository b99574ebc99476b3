"""Heartbeat: the row of `magnum_service` by which magnum-api tells whether this host is up."""

from __future__ import annotations

import logging
from collections.abc import Callable

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db.queries import magnum_service

LOG = logging.getLogger(__name__)

BINARY = "magnum-conductor"


class Heartbeat:
    """Reports this host up, as long as its RPC workers consume (known defect B63).

    When they do not, the row is left to grow old: the API shows the host down after
    ``[DEFAULT]service_down_time``.
    """

    def __init__(self, host: str, consuming: Callable[[], bool]) -> None:
        """`consuming` tells whether a worker of this host takes messages."""
        self._host = host
        self._consuming = consuming
        self._silent = False

    def beat(self, context: RequestContext) -> None:
        """Count the row up by one, which moves last_seen_up; made anew when it is gone.

        The count is read each time: one kept from the start would stand still, and the time with
        it, when another process of this host, or magnum's own conductor, counts too.

        Raises:
            DBError: the database is away.
        """
        if not self._consuming():
            if not self._silent:
                LOG.warning("No RPC worker of %s consumes: not reporting it up", self._host)
            self._silent = True
            return
        if self._silent:
            LOG.info("RPC workers of %s consume: reporting it up", self._host)
        self._silent = False
        try:
            self._count(context)
        except exception.MagnumServiceNotFound:
            # Deleted between the two statements.
            self._count(context)

    def _count(self, context: RequestContext) -> None:
        row = magnum_service.get_by_host_and_binary(context, self._host, BINARY)
        if row is None:
            row = magnum_service.create(context, {"host": self._host, "binary": BINARY})
        magnum_service.update(context, row["id"], {"report_count": row["report_count"] + 1})
