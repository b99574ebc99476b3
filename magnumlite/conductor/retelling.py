"""Events that are not out: their process died, or the broker of notifications was away.

At least once after a crash, exactly once otherwise (DESIGN section 4, "Two ends").
"""

from __future__ import annotations

from typing import Any

from oslo_log import log as logging

from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.journal import dead, entries
from magnumlite.journal.entries import Action, Entry, Outcome
from magnumlite.notifications import events

LOG = logging.getLogger(__name__)

_NODEGROUP_EVENTS = {
    Action.NODEGROUP_CREATE: "create",
    Action.NODEGROUP_UPDATE: "update",
    Action.NODEGROUP_DELETE: "delete",
}


def sweep(admin: Any) -> int:
    """Send the final events that are due again, until one cannot be sent; return how many rows."""
    told: list[int] = []
    clusters: set[tuple[str, str, str]] = set()
    for entry in dead.unnotified(CONF.journal.dead_after):
        if not _again(admin, entry, clusters):
            break
        told.append(entry.id)
    if told:
        entries.notified(told)
    return len(told)


def _again(admin: Any, entry: Entry, told: set[tuple[str, str, str]]) -> bool:
    """Send the events of one operation; `told` are those of clusters that went out already."""
    outcome = "success" if entry.outcome is Outcome.SUCCEEDED else "failure"
    try:
        cluster = objects.Cluster.get_by_uuid(admin, entry.cluster_uuid)
    except exception.ClusterNotFound:
        if entry.action is not Action.DELETE or outcome == "failure":
            LOG.debug("The cluster of operation %s is gone; nothing to tell", entry.uuid)
            return True
        return events.cluster(admin, "delete", outcome, _remembered(admin, entry), [])
    event = (cluster.uuid, _action(entry), outcome)
    if event in told:
        return tell_nodegroup(admin, cluster, entry, outcome)
    told.add(event)
    return tell(admin, entry, cluster, outcome)


def tell(context: Any, entry: Entry, cluster: Any, outcome: str = "failure") -> bool:
    """Send the final events of an operation: its nodegroup's or credential's, and its cluster's.

    False if one is not out.
    """
    if entry.action is Action.ROTATE_CREDENTIAL:
        return events.credential(context, outcome, cluster)
    told = events.cluster(context, _action(entry), outcome, cluster)
    return told and tell_nodegroup(context, cluster, entry, outcome)


def tell_nodegroup(context: Any, cluster: Any, entry: Entry, outcome: str) -> bool:
    """Send the final event of a nodegroup's operation; of a deleted one only the uuid is left.

    False if it is not out; True also for what has no such event.
    """
    action = _NODEGROUP_EVENTS.get(entry.action)
    if action is None:
        return True
    try:
        nodegroup = objects.NodeGroup.get_by_uuid(context, cluster.uuid, str(entry.nodegroup_uuid))
    except exception.NodeGroupNotFound:
        nodegroup = objects.NodeGroup(context, uuid=entry.nodegroup_uuid, cluster_id=cluster.uuid)
    else:
        if str(nodegroup.status).endswith("_FAILED"):
            outcome = "failure"
    return events.nodegroup(context, action, outcome, cluster, nodegroup)


def _action(entry: Entry) -> str:
    """Return the action that the cluster's event names."""
    own = entry.action in (Action.CREATE, Action.DELETE)
    return entry.action.value if own else "update"


def _remembered(admin: Any, entry: Entry) -> Any:
    """Return what the journal knows of a cluster that is gone."""
    known = {"project_id": entry.project_id, "user_id": entry.user_id}
    return objects.Cluster(
        admin,
        uuid=entry.cluster_uuid,
        **{name: value for name, value in known.items() if value is not None},
    )
