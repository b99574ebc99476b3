"""The health sweep: asks each owned cluster's monitor and saves what changed.

A cluster's check is one job of a keyed queue, so a silent cluster holds one thread and no other
cluster (known defect B11). Monitors may save rows themselves: such a save is fenced like that of
a status poll, and what they did to the object they were given is thrown away (B57).
"""

from __future__ import annotations

import dataclasses
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_log import log
from oslo_utils import timeutils

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.certs.store.base import brief
from magnumlite.conductor import errors
from magnumlite.conductor.states import HEALTH_POLLED, IN_PROGRESS
from magnumlite.conf import CONF
from magnumlite.db import engine, fence, models
from magnumlite.db.texts import cut_map
from magnumlite.drivers import monitors
from magnumlite.journal import lines
from magnumlite.kubernetes.client import CLIENTS
from magnumlite.notifications import events
from magnumlite.objects.fields import ClusterHealthStatus
from magnumlite.periodic import templates
from magnumlite.periodic.phases import Phases
from magnumlite.periodic.templates import Template

LOG = log.getLogger(__name__)

#: Checks that read their rows at a time. Waiting for a cluster's API takes no processor; this does,
#: and the polls of clusters in progress are more urgent.
READERS = 2

#: Looks at the table in one interval, and the bounds of the time between two, in seconds.
LOOKS, SHORTEST, LONGEST = 20, 0.5, 10.0


class Queue(Protocol):
    """What the sweep needs of a KeyedQueue."""

    def add(self, key: str, after: float = 0.0) -> Any:
        """Ask for one run of `check` for a cluster, `after` seconds at the earliest."""


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What the row is to show."""

    status: str | None
    reason: dict[str, str]


@dataclasses.dataclass
class _Failing:
    """A cluster whose monitor fails: how often in a row, and since when."""

    since: str
    times: int = 0


class HealthSweep:
    """Puts clusters on `queue` when they are due, and checks them.

    `owns` tells whether this host sweeps a cluster. [kubernetes]health_polling_interval is read
    here, once (known defect B09).
    """

    def __init__(self, queue: Queue, owns: Callable[[str], bool]) -> None:
        self._queue = queue
        self._owns = owns
        self._interval = float(CONF.kubernetes.health_polling_interval)
        self._phases = Phases(max(self._interval, 1.0))
        self._failing: dict[str, _Failing] = {}
        self._templates: dict[str, Template] = {}
        self._turns = threading.BoundedSemaphore(READERS)

    @property
    def enabled(self) -> bool:
        """Tell whether there is a health sweep: a negative interval disables it."""
        return self._interval >= 0

    @property
    def spacing(self) -> float:
        """Seconds between two calls of `due`: a fraction of the interval, so that it spreads."""
        return min(LONGEST, max(SHORTEST, self._interval / LOOKS))

    def due(self, context: Any) -> None:
        """Queue the owned clusters that are due before the next call; drop what others left.

        Each is queued for its own moment: together they would want a database connection each.
        """
        if not self.enabled:
            return
        with engine.reader() as session:
            listed: Sequence[str] = session.scalars(
                sa.select(models.Cluster.uuid).where(models.Cluster.status.in_(HEALTH_POLLED))
            ).all()
        self._templates = templates.read()
        owned = [uuid for uuid in listed if self._owns(uuid)]
        CLIENTS.keep_only(owned)
        for uuid in self._failing.keys() - set(owned):
            self._failing.pop(uuid, None)
        due = self._phases.due(owned, time.monotonic(), ahead=self.spacing)
        for uuid, after in due.items():
            self._queue.add(uuid, after)

    def check(self, cluster_uuid: str) -> None:
        """Poll one cluster's health and save it if it changed.

        Raises: what the database raises; a monitor that fails is logged and becomes a verdict.
        """
        context = request_context.make_admin_context(all_tenants=True)
        with request_context.using(context):
            try:
                with self._turns:
                    line, cluster = lines.read(context, cluster_uuid)
            except exception.ClusterNotFound:
                CLIENTS.forget(cluster_uuid)
                return
            # Until the driver has returned from its create it knows no such cluster (B56).
            unborn = line.creating and cluster.status == "CREATE_IN_PROGRESS"
            if cluster.status not in HEALTH_POLLED or unborn:
                return
            before = Verdict(cluster.health_status, dict(cluster.health_status_reason or {}))
            verdict = self._verdict(context, cluster, line)
            if verdict is not None and verdict != before:
                self._save(context, cluster_uuid, before, verdict)

    def _verdict(self, context: Any, cluster: Any, line: lines.Line) -> Verdict | None:
        uuid = cluster.uuid
        changing = bool(line.claimed or line.released) or cluster.status in IN_PROGRESS
        guard = fence.MonitorFence(uuid, line.fence, cluster.status, changing=changing)
        try:
            with fence.holding(guard), errors.contained():
                verdict = _poll(context, cluster, self._templates.get(cluster.cluster_template_id))
        except exception.ClaimLost:
            LOG.debug("Cluster %s: an operation began while its health was polled.", uuid)
            return None
        except db_exc.DBError:
            raise
        except Exception as error:
            return self._failed(uuid, error)
        self._failing.pop(uuid, None)
        return verdict

    def _failed(self, uuid: str, error: Exception) -> Verdict | None:
        """Count a monitor's failure; UNKNOWN once there are too many in a row (B40)."""
        failing = self._failing.setdefault(
            uuid, _Failing(timeutils.utcnow().isoformat(timespec="seconds") + "Z")
        )
        failing.times += 1
        limit = CONF.health.unknown_after
        level = LOG.warning if failing.times in (1, limit) else LOG.debug
        cause = brief(error)
        level(
            "Cluster %s: its monitor failed, %d times in a row since %s: %s",
            uuid, failing.times, failing.since, cause,
        )  # fmt: skip
        if failing.times < limit:
            return None
        reason = {"api": f"Cannot be checked since {failing.since}: {cause}"}
        return Verdict(ClusterHealthStatus.UNKNOWN, reason)

    @staticmethod
    def _save(context: Any, uuid: str, before: Verdict, verdict: Verdict) -> None:
        """Save the two health columns and nothing else, whatever runs on the cluster."""
        try:
            row = objects.Cluster.get_by_uuid(context, uuid)
            row.health_status = verdict.status
            row.health_status_reason = verdict.reason
            row.save()
        except exception.ClusterNotFound:
            CLIENTS.forget(uuid)
            return
        if before.status == verdict.status:
            return
        level = LOG.info if before.status else LOG.debug
        level("Cluster %s: health %s -> %s", uuid, before.status, verdict.status)
        turned = ClusterHealthStatus.HEALTHY in (before.status, verdict.status)
        if turned and CONF.health.notify:
            events.health(context, row, before.status)


def _poll(context: Any, cluster: Any, template: Template | None) -> Verdict | None:
    """Return what the cluster's monitor says, None when there is none or it says nothing."""
    monitor = monitors.create_monitor(context, cluster, template)
    poll = getattr(monitor, "poll_health_status", None)
    if poll is None:
        return None
    poll()
    status = monitor.data.get("health_status")
    if not status:
        return None
    if status not in ClusterHealthStatus.ALL:
        raise ValueError(f"the monitor says {status!r}, which is no health status")
    reason = monitor.data.get("health_status_reason") or {}
    return Verdict(status, cut_map({str(key): str(value) for key, value in reason.items()}))
