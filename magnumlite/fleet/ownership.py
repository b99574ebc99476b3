"""Ownership: what this host sweeps, kept up to date by its beats."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from oslo_db import exception as db_exc

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.fleet import members
from magnumlite.fleet.ring import Ring

LOG = logging.getLogger(__name__)


class Ownership:
    """Tells whether this host owns a cluster.

    `beat` says that this host is alive and reads who else is. While the database is away the
    last ring holds for one ``[fleet]dead_after``: as long as the others still count this host
    in. After that this host owns nothing.
    """

    def __init__(
        self, host: str, *, sweeps: bool, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """`host`: this host's name; `sweeps`: ``[DEFAULT]periodic_enable``."""
        self.host = host
        self._sweeps = sweeps
        self._clock = clock
        self._lock = threading.Lock()
        self._ring = Ring((), 0)
        self._good_until = float("-inf")
        self._draining = False

    def beat(self) -> bool:
        """Write this host's row and read the ring anew.

        Returns: False when the database is away; said in the log.
        """
        with self._lock:
            asked = self._clock()
            try:
                members.beat(self.host, sweeps=self._sweeps, draining=self._draining)
                hosts = members.live(CONF.fleet.dead_after)
            except (db_exc.DBError, exception.MagnumException) as error:
                LOG.warning(
                    "Cannot tell the fleet that %s is alive, the database does not answer: %s",
                    self.host,
                    error,
                )
                return False
            self._good_until = asked + CONF.fleet.dead_after
            if self._ring.hosts != frozenset(hosts):
                LOG.info("Hosts that sweep are now: %s", ", ".join(hosts) or "none")
                self._ring = Ring(hosts, CONF.fleet.points)
            return True

    @property
    def hosts(self) -> frozenset[str]:
        """The hosts that sweep, as this one has seen them last."""
        return self._ring.hosts

    def owns(self, cluster_uuid: str) -> bool:
        """Tell whether this host sweeps the cluster now."""
        return (
            not self._draining
            and self._clock() < self._good_until
            and self._ring.owner(cluster_uuid) == self.host
        )

    def drain(self) -> None:
        """Own nothing from now on, and tell the others."""
        self._draining = True
        self.beat()
