"""The status sweep: asks drivers how clusters in progress are doing, and ends what has ended."""

from __future__ import annotations

import contextlib
import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol

import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.conductor import errors, settle
from magnumlite.conductor.states import IN_PROGRESS
from magnumlite.context import RequestContext
from magnumlite.db import engine, fence, models
from magnumlite.drivers import registry
from magnumlite.journal import lines
from magnumlite.periodic import templates
from magnumlite.periodic.queue import RetryLater
from magnumlite.periodic.templates import Template

LOG = logging.getLogger(__name__)

#: Uuids in one IN list.
CHUNK = 500

#: Seconds between two log lines on one driver that is not there (known defect B29).
QUIET = 300.0


class Queue(Protocol):
    """What the sweep needs of a KeyedQueue."""

    def add_all(self, keys: Collection[str]) -> None:
        """Ask for one poll of each cluster."""

    def own_work(self) -> contextlib.AbstractContextManager[None]:
        """Mark what a poll does beside its driver call."""


class StatusSweep:
    """Puts the clusters that need a poll on `queue`, and polls them.

    A cluster needs one while it, or one of its nodegroups, is in progress; while an operation is
    released and not finished; while a create is watched past its deadline; and when it, or a
    nodegroup other than a default one, is DELETE_COMPLETE and its rows are still there (known
    defects B34, B36, B68).  Never while an operation runs or its create has not returned from the
    driver (B56), and only on the host that owns it (B41).
    """

    def __init__(self, queue: Queue, owns: Callable[[str], bool]) -> None:
        self._queue = queue
        self._owns = owns
        #: Of this sweep: cluster uuid to template uuid, and template uuid to `Template`.
        self._wanted: dict[str, str] = {}
        self._templates: dict[str, Template] = {}
        self._told: dict[str, float] = {}

    def due(self, context: RequestContext) -> None:
        """Queue the owned clusters that need a poll: a few queries, whatever their number.

        Raises:
            DBError: the database is away.
        """
        standings = lines.standings()
        found = _clusters(models.Cluster.status.in_([*sorted(IN_PROGRESS), "DELETE_COMPLETE"]))
        more = set(_nodegroups_in_progress())
        more.update(uuid for uuid, standing in standings.items() if standing.awaited)
        for some in _chunks(more - found.keys()):
            found.update(_clusters(models.Cluster.uuid.in_(some)))
        self._templates = templates.read()
        self._wanted = {
            uuid: template
            for uuid, template in found.items()
            if standings.get(uuid, lines.Standing()).pollable and self._owns(uuid)
        }
        # Where this fails, because another conductor does it too, the polls do it one by one.
        for some in _chunks(self._wanted.keys() - standings.keys()):
            settle.adopt(some)
        self._queue.add_all(self._wanted)

    def driver_of(self, cluster_uuid: str) -> str | None:
        """Return what names a queued cluster's driver, None if unknown; a look-up only."""
        template = self._templates.get(self._wanted.get(cluster_uuid, ""))
        if template is None:
            return None
        kind = (template.server_type, template.cluster_distro, template.coe)
        return template.driver or ", ".join(str(part) for part in kind)

    def poll(self, cluster_uuid: str) -> None:
        """Ask the driver about one cluster, then draw the consequences.

        Raises:
            RetryLater: the driver or the database is not there, which is told elsewhere.
            Exception: whatever the driver raised.
        """
        context = request_context.make_admin_context(all_tenants=True)
        with request_context.using(context):
            try:
                self._poll(context, cluster_uuid)
            except exception.ClaimLost as error:
                LOG.debug("Cluster %s was overtaken during its poll: %s", cluster_uuid, error)
            except exception.ClusterNotFound:
                LOG.debug("Cluster %s is gone", cluster_uuid)
            except exception.DriverUnavailable as error:
                self._tell(error)
                raise RetryLater from error
            except db_exc.DBConnectionError as error:
                LOG.debug("Cluster %s: the database does not answer: %s", cluster_uuid, error)
                raise RetryLater from error

    def _poll(self, context: RequestContext, cluster_uuid: str) -> None:
        with self._queue.own_work():
            line, cluster = lines.read(context, cluster_uuid)
            if not line.pollable or not self._owns(cluster_uuid):
                return
            stray = not line.released and cluster.status in IN_PROGRESS
            if stray and settle.adopt([cluster_uuid]):
                line, cluster = lines.read(context, cluster_uuid)
        late = line.late is not None
        poll = fence.PollFence(cluster_uuid, line.fence, cluster.status, late=late)
        with fence.holding(poll):
            if late:
                # Read through the fence, the row shows the driver what it needs to see.
                cluster = objects.Cluster.get_by_uuid(context, cluster_uuid)
            if cluster.status == "DELETE_COMPLETE":
                settle.finish_deletion(context, cluster, line)
                return
            template = self._templates.get(cluster.cluster_template_id)
            driver = registry.for_cluster(context, cluster, template)
            try:
                with errors.contained():
                    driver.update_cluster_status(context, cluster)
            except exception.ClaimLost:
                raise
            except Exception:
                registry.failed(driver)
                raise
            settle.settle(context, cluster, line, poll, driver)

    def _tell(self, error: exception.DriverUnavailable) -> None:
        text = str(error)
        now = time.monotonic()
        if now - self._told.get(text, float("-inf")) >= QUIET:
            self._told[text] = now
            LOG.warning("Clusters cannot be polled: %s", text)


def _nodegroups_in_progress() -> Sequence[str]:
    """Return clusters that have a nodegroup in progress, or one to be removed."""
    nodegroup = models.NodeGroup
    left_over = sa.and_(nodegroup.status == "DELETE_COMPLETE", nodegroup.is_default.is_(sa.false()))
    with engine.reader() as session:
        return session.scalars(
            sa.select(nodegroup.cluster_id)
            .where(sa.or_(nodegroup.status.in_(sorted(IN_PROGRESS)), left_over))
            .distinct()
        ).all()


def _chunks(uuids: Collection[str]) -> Iterator[list[str]]:
    ordered = sorted(uuids)
    return (ordered[start : start + CHUNK] for start in range(0, len(ordered), CHUNK))


def _clusters(which: sa.ColumnElement[bool]) -> dict[str, str]:
    """Return cluster uuid to template uuid."""
    with engine.reader() as session:
        rows: Any = session.execute(
            sa.select(models.Cluster.uuid, models.Cluster.cluster_template_id).where(which)
        )
        return {row.uuid: row.cluster_template_id for row in rows}
