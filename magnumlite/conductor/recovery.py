"""Recovery: every accepted operation ends, whatever died (DESIGN section 5, "Recovery").

Any host may sweep at any time: each row is ended by one conditional UPDATE, and who made it
writes the cluster's state and sends the event.
"""

from __future__ import annotations

import contextlib
import datetime
import time
from collections.abc import Sequence
from typing import Any

from oslo_db import exception as db_exc
from oslo_log import log as logging

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.conductor import diagnosis, retelling, states
from magnumlite.conductor.changes import certificates
from magnumlite.conf import CONF
from magnumlite.db import engine, fence
from magnumlite.db.queries import nodegroup as nodegroup_queries
from magnumlite.journal import dead, entries
from magnumlite.journal.entries import Action, Entry, Outcome

LOG = logging.getLogger(__name__)

_FAILURES = {Action.CREATE: "CREATE_FAILED", Action.DELETE: "DELETE_FAILED"}
_NODEGROUP_FAILURES = {
    Action.RESIZE: "UPDATE_FAILED",
    Action.UPGRADE: "UPDATE_FAILED",
    Action.NODEGROUP_CREATE: "CREATE_FAILED",
    Action.NODEGROUP_UPDATE: "UPDATE_FAILED",
    Action.NODEGROUP_DELETE: "DELETE_FAILED",
}


def sweep() -> int:
    """End or release what dead processes left and what is past its deadline.

    Returns how many operations were ended.  Operations of a dead process: a create that never
    reached the driver fails, one that did and has a stack is left to the status sweep, one that
    did and has none fails but is watched (known defect B10); others that had begun fail and can
    be tried again; those that waited end with the cluster untouched.
    """
    admin = context_module.make_admin_context(all_tenants=True)
    ended = 0
    with fence.lifted():
        try:
            for step in (_end_dead, _end_forgotten, _end_overdue, _end_without_cluster):
                ended += step(admin)
            orphans = nodegroup_queries.remove_orphans()
            if orphans:
                LOG.warning("Removed %d nodegroups of clusters that are gone", orphans)
            _end_watch(admin)
        except db_exc.DBError:
            # Nobody could renew anything meanwhile: whoever is silent now is watched anew.
            _silence.forget()
            raise
        retelling.sweep(admin)
    dead.prune(CONF.journal.keep_days)
    return ended


class _Silence:
    """Tells a process that is dead from a database that was away.

    After an outage every heartbeat is old.  So an operation is given up only when its heartbeat
    has stood still for two intervals under the eyes of this host, by this host's clock.
    """

    def __init__(self) -> None:
        self._seen: dict[int, tuple[datetime.datetime, float]] = {}

    def last(self, entries_: list[Entry]) -> list[Entry]:
        """Return those that have been silent for long enough; the others are watched."""
        now = time.monotonic()
        before, self._seen = self._seen, {}
        patience = 2 * CONF.journal.heartbeat_interval
        given_up = []
        for entry in entries_:
            heartbeat, since = before.get(entry.id, (entry.heartbeat_at, now))
            if heartbeat != entry.heartbeat_at:
                since = now
            self._seen[entry.id] = entry.heartbeat_at, since
            if now - since >= patience:
                given_up.append(entry)
        return given_up

    def forget(self) -> None:
        """Watch everybody anew."""
        self._seen.clear()


_silence = _Silence()


def _end_dead(admin: Any) -> int:
    """End what a process that no longer renews its rows has left."""
    ended = 0
    for entry in _silence.last(dead.of_dead_processes(CONF.journal.dead_after)):
        if entry.action is Action.CREATE and entry.entered_at is not None:
            ended += _end_in_driver(admin, entry)
            continue
        reason = f"The conductor process {entry.process} ended before the operation did"
        ended += _end(admin, entry, Outcome.LOST, reason, began=entry.running)
    return ended


def _end_in_driver(admin: Any, entry: Entry) -> int:
    """Leave a create whose process died in the driver to the status sweep if it can be followed.

    Without a stack nobody knows what the driver has begun: the cluster fails, so that it can be
    deleted, and is watched like one whose deadline has passed, in case it completes all the same.
    """
    try:
        followed = objects.Cluster.get_by_uuid(admin, entry.cluster_uuid).stack_id is not None
    except exception.ClusterNotFound:
        followed = False
    if not followed:
        reason = (
            f"The conductor process {entry.process} ended while the driver created the cluster; "
            "what the driver has made goes with the cluster when it is deleted"
        )
        return _end(admin, entry, Outcome.EXPIRED, reason, began=True)
    if dead.release(entry):
        LOG.warning(
            "Create %s of cluster %s lost its process %s in the driver; the sweep follows it",
            entry.uuid,
            entry.cluster_uuid,
            entry.process,
        )
    return 0


def _end_watch(admin: Any) -> None:
    """Give up creates that did not come to an end in [deadline]late_watch either."""
    for entry in dead.watched_before(CONF.deadline.late_watch * 3600):
        if not entries.reconsider(entry.id, Outcome.FAILED):
            continue
        entries.notified([entry.id])
        for nodegroup in objects.NodeGroup.list(
            admin, entry.cluster_uuid, filters={"status": ["CREATE_IN_PROGRESS"]}
        ):
            nodegroup.status, nodegroup.status_reason = "CREATE_FAILED", entry.reason
            with contextlib.suppress(exception.NodeGroupNotFound):
                nodegroup.save()


def _end_forgotten(admin: Any) -> int:
    """End what was cast again and came back to nobody."""
    ended = 0
    for entry in dead.recast_before(CONF.journal.recast_timeout):
        reason = (
            f"The operation was given back to the message broker by host {entry.host} "
            f"and did not come back within {CONF.journal.recast_timeout} s"
        )
        ended += _end(admin, entry, Outcome.LOST, reason, began=False)
    return ended


def _end_overdue(admin: Any) -> int:
    """End what is past its deadline; a create goes on being watched."""
    ended = 0
    for entry in dead.overdue():
        minutes = max(1, round((entry.deadline_at - entry.accepted_at).total_seconds() / 60))  # type: ignore[operator]
        reason = f"The {entry.action.replace('_', ' ')} was not finished in {minutes} minutes"
        ended += _end(admin, entry, Outcome.EXPIRED, reason, began=True)
    return ended


def _end_without_cluster(admin: Any) -> int:
    """End what waits for the final state of a cluster that somebody else has removed."""
    ended = 0
    for entry in dead.without_cluster():
        deleted = entry.action is Action.DELETE
        outcome = Outcome.SUCCEEDED if deleted else Outcome.SUPERSEDED
        # Its event is told by the retelling, in case the one who removed the rows has told it.
        ended += dead.end(entry, outcome, None if deleted else "the cluster is gone")
    return ended


def _end(admin: Any, entry: Entry, outcome: Outcome, reason: str, *, began: bool) -> int:
    """End one operation and write what its end means; 1 if this caller ended it, else 0."""
    cluster = _Ending(admin, entry, outcome, reason, began=began)
    try:
        if not cluster.write():
            return 0
    except exception.MagnumException as error:
        LOG.error("%s %s could not be ended: %s", entry.action, entry.uuid, error)
        return 0
    LOG.warning("%s %s of cluster %s: %s", entry.action, entry.uuid, entry.cluster_uuid, reason)
    certificates.drop_noted(admin, entry)
    cluster.tell()
    return 1


class _Ending:
    """The end of one operation: journal, cluster and nodegroup in one transaction."""

    def __init__(
        self, admin: Any, entry: Entry, outcome: Outcome, reason: str, *, began: bool
    ) -> None:
        self._admin = admin
        self._entry = entry
        self._outcome = outcome
        self._reason = reason
        #: A create's rows are there from its acceptance, so it always has something to fail.
        self._began = began or entry.action is Action.CREATE
        self._cluster: Any = None

    @engine.retried
    def write(self) -> bool:
        """Write it; False if somebody else has ended the operation."""
        with engine.writer():
            if not dead.end(self._entry, self._outcome, self._reason):
                return False
            try:
                self._cluster = objects.Cluster.get_by_uuid(self._admin, self._entry.cluster_uuid)
            except exception.ClusterNotFound:
                return True
            if self._began and self._awaits_this():
                self._fail()
            return True

    def _awaits_this(self) -> bool:
        """Tell whether the cluster's state is still this operation's to end.

        A deletion is not undone by the end of something older.
        """
        deleting = self._cluster.status in states.DELETING
        return self._entry.action is Action.DELETE or not deleting

    def _fail(self) -> None:
        entry = self._entry
        if entry.action is Action.ROTATE_CREDENTIAL:
            return
        if self._outcome is Outcome.EXPIRED and (known := diagnosis.of(self._cluster)):
            self._reason = f"{self._reason}; {known}"
        self._cluster.status = _FAILURES.get(entry.action, "UPDATE_FAILED")
        self._cluster.status_reason = self._reason
        self._cluster.save()
        for nodegroup in self._nodegroups():
            nodegroup.status = _NODEGROUP_FAILURES.get(entry.action, "CREATE_FAILED")
            nodegroup.status_reason = self._reason
            with contextlib.suppress(exception.NodeGroupNotFound):
                nodegroup.save()

    def _nodegroups(self) -> Sequence[Any]:
        """Return the nodegroups that fail with it; those of an expired create go on."""
        if self._entry.action is Action.CREATE:
            return [] if self._outcome is Outcome.EXPIRED else list(self._cluster.nodegroups)
        if self._entry.nodegroup_uuid is None:
            return []
        return [
            group for group in self._cluster.nodegroups if group.uuid == self._entry.nodegroup_uuid
        ]

    def tell(self) -> None:
        """Send the one final event."""
        if self._cluster is None or retelling.tell(self._admin, self._entry, self._cluster):
            entries.notified([self._entry.id])
