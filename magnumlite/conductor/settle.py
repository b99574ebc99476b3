"""How operations end: what the status sweep does with the state that a driver reports.

The claim ends when the driver call returns; the operation ends here, when the final state is
seen.  All released operations of the cluster then close together with one event (DESIGN section
4, "Two ends").
"""

from __future__ import annotations

import time
import uuid as uuid_module
from collections.abc import Sequence
from typing import Any

import cachetools
from oslo_log import log as logging

from magnumlite import exception, objects
from magnumlite.certs import authority, client_files
from magnumlite.conductor import diagnosis, retelling, states
from magnumlite.db import engine, fence
from magnumlite.db.queries import nodegroup as nodegroup_queries
from magnumlite.journal import entries, lines
from magnumlite.journal.entries import Action, Entry, Outcome
from magnumlite.journal.lines import Line
from magnumlite.notifications import events

LOG = logging.getLogger(__name__)

_BEGUN_BY = {
    "CREATE_IN_PROGRESS": Action.CREATE,
    "UPDATE_IN_PROGRESS": Action.UPDATE,
    "ROLLBACK_IN_PROGRESS": Action.UPDATE,
    "DELETE_IN_PROGRESS": Action.DELETE,
}

#: Seconds that magnum-api may take from reading a cluster to reading its nodegroups.
READING = 0.05

#: Namespace of the uuids of adopted operations.
_ADOPTION = uuid_module.UUID("5f1c3a52-9a0e-4f0e-8f6c-6d61676e756d")

#: Clusters whose success was withheld in their last poll, and drivers that are known to settle
#: nodegroups themselves.  Both only decide how patient to be, so each process learns them anew.
_premature: cachetools.LRUCache[str, int] = cachetools.LRUCache(maxsize=20000)
_settling_drivers: set[type[Any]] = set()


def adopt(cluster_uuids: Sequence[str]) -> bool:
    """Give those in progress that have no open operation one; tell whether any got it.

    They were inherited from magnum, or another conductor of a mixed fleet works on them.  A
    create keeps the deadline it was given.  If another conductor adopts one of them meanwhile
    none is adopted: each alone can be tried again.
    """
    adoptions = []
    for stray in lines.strays(cluster_uuids):
        action = _BEGUN_BY.get(stray.status)
        if action is None:
            continue
        deadline = None
        if action is Action.CREATE and stray.create_timeout:
            deadline = stray.create_timeout * 60
        occasion = f"{stray.cluster_uuid}/{stray.fence}/{stray.status}"
        token = str(uuid_module.uuid5(_ADOPTION, occasion))
        adoptions.append(entries.Adoption(stray.cluster_uuid, action, token, deadline))
    if not adoptions or not entries.adopt(adoptions):
        return False
    LOG.info("Adopted clusters found in progress: %s", ", ".join(a.cluster_uuid for a in adoptions))
    return True


def settle(context: Any, cluster: Any, line: Line, poll: fence.PollFence, driver: Any) -> None:
    """End what the state that `driver` has just reported ends.

    Runs after a status poll, inside its fence.  `cluster` is the object the driver worked on,
    `line` what was open when the poll began.

    Post: at a final state the released operations of `line` are closed and one event is out.

    Raises:
        ClaimLost: an operation has begun meanwhile; the rest is left to a later poll.
    """
    if poll.nodegroups_settled:
        _settling_drivers.add(type(driver))
    if poll.withheld:
        if not _accept_withheld(cluster, poll, driver):
            return
    elif cluster.obj_what_changed() & {"status"}:
        # The driver has set a state and left the saving to us.
        cluster.save()
        if poll.withheld and not _accept_withheld(cluster, poll, driver):
            return
    _premature.pop(cluster.uuid, None)
    if cluster.status != poll.shown(cluster.uuid, poll.status):
        # The driver has saved the state through an object of its own.
        cluster = objects.Cluster.get_by_uuid(context, cluster.uuid)
    status = cluster.status
    if status == "DELETE_COMPLETE":
        finish_deletion(context, cluster, line)
        return
    if states.failed(status):
        _explain(cluster)
        _fail_nodegroups(cluster)
    if not states.in_progress(status):
        _tidy_nodegroups(cluster)
    if line.late is not None and not line.released:
        _end_late(context, cluster, line.late)
    elif line.released and (states.failed(status) or states.complete(status)):
        _close(context, cluster, line.released)


def finish_deletion(context: Any, cluster: Any, line: Line | None = None) -> None:
    """Remove a cluster whose driver has nothing left of it: certificates, files, rows.

    Each step tolerates "already gone".  The one whose DELETE hits the row tells it (known defects
    B20, B21).  The nodegroups go a moment after the cluster: magnum-api reads a cluster and then
    its nodegroups, and answers 400 when it finds none.

    Raises:
        ClaimLost: an operation has begun on the cluster meanwhile.
    """
    authority.delete(authority.References.of(cluster), cluster, context)
    client_files.delete(cluster.uuid)
    nodegroups = list(cluster.nodegroups)
    try:
        ended = _remove_cluster(context, cluster)
    except exception.ClusterNotFound:
        LOG.debug("Cluster %s was removed by another conductor", cluster.uuid)
        return
    time.sleep(READING)
    nodegroup_queries.remove_of(cluster.uuid)
    LOG.info("Cluster %s is deleted", cluster.uuid)
    if events.cluster(context, "delete", "success", cluster, nodegroups):
        entries.notified(ended)


@engine.retried
def _remove_cluster(context: Any, cluster: Any) -> list[int]:
    """Remove a cluster's row and end all its operations; return which."""
    with engine.writer():
        cluster.destroy(context)
        return entries.end_with_cluster(cluster.uuid)


def _accept_withheld(cluster: Any, poll: fence.PollFence, driver: Any) -> bool:
    """Save a success that came before its nodegroups', if they are final now.

    A driver that is not known to settle nodegroups is believed at the second time.
    """
    progress = objects.NodeGroup.list(
        cluster._context, cluster.uuid, filters={"status": sorted(states.IN_PROGRESS)}
    )
    if progress:
        count = _premature.get(cluster.uuid, 0) + 1
        _premature[cluster.uuid] = count
        if type(driver) in _settling_drivers or count < 2:
            LOG.debug(
                "Cluster %s is reported %s with nodegroups in progress: %s",
                cluster.uuid,
                poll.withheld.get("status"),
                ", ".join(sorted(group.name for group in progress)),
            )
            return False
    poll.believe()
    for name, value in dict(poll.withheld).items():
        setattr(cluster, name, value)
    cluster.save()
    return True


def _tidy_nodegroups(cluster: Any) -> None:
    """Remove nodegroups that drivers left in DELETE_COMPLETE (known defect B36).

    Those that have failed without a reason get what is known.
    """
    for nodegroup in cluster.nodegroups:
        if states.failed(nodegroup.status) and not nodegroup.status_reason:
            nodegroup.status_reason = _unsaid(nodegroup.status, diagnosis.health(cluster))
            nodegroup.save()
        if nodegroup.is_default or nodegroup.status != "DELETE_COMPLETE":
            continue
        LOG.info("Nodegroup %s of cluster %s is deleted", nodegroup.uuid, cluster.uuid)
        try:
            nodegroup.destroy()
        except exception.NodeGroupNotFound:
            LOG.debug("Nodegroup %s is gone already", nodegroup.uuid)


def _explain(cluster: Any) -> None:
    """Give a cluster that has failed without a reason what is known."""
    if not cluster.status_reason:
        cluster.status_reason = _unsaid(cluster.status, diagnosis.of(cluster))
        cluster.save()


def _unsaid(status: str, known: str) -> str:
    reason = f"The driver reports {status} and no reason"
    return f"{reason}; {known}" if known else reason


def _fail_nodegroups(cluster: Any) -> None:
    """Take the nodegroups of a failed cluster out of progress, with its reason."""
    for nodegroup in objects.NodeGroup.list(
        cluster._context, cluster.uuid, filters={"status": sorted(states.IN_PROGRESS)}
    ):
        nodegroup.status = states.failure_of(nodegroup.status)
        nodegroup.status_reason = cluster.status_reason
        nodegroup.save()


def _close(context: Any, cluster: Any, released: tuple[Entry, ...]) -> None:
    good = states.complete(cluster.status)
    outcome = Outcome.SUCCEEDED if good else Outcome.FAILED
    ids = [entry.id for entry in released]
    closed = False
    if good and (deletes := [entry.id for entry in released if entry.action is Action.DELETE]):
        # The driver has thought better of it: whatever the cluster is now, it is not deleted.
        why = f"The driver reports {cluster.status} and has not deleted the cluster"
        closed = entries.close(cluster.uuid, deletes, Outcome.FAILED, why)
    reason = None if good else cluster.status_reason
    if not entries.close(cluster.uuid, ids, outcome, reason) and not closed:
        return
    ended = "success" if good else "failure"
    told = [retelling.tell_nodegroup(context, cluster, entry, ended) for entry in released]
    if any(entry.action is Action.CREATE for entry in released):
        told.append(_tell_created(context, cluster, ended))
    if tell_final(context, cluster) and all(told):
        entries.notified(ids)


def tell_final(context: Any, cluster: Any) -> bool:
    """Send the event of a cluster's final state; an unknown state has none (B43).

    False if it is not out.
    """
    action = events.action_of(cluster.status)
    if action is None:
        LOG.info("Cluster %s came to %s, which has no event", cluster.uuid, cluster.status)
        return True
    outcome = "success" if states.complete(cluster.status) else "failure"
    return events.cluster(context, action, outcome, cluster)


def _tell_created(context: Any, cluster: Any, outcome: str) -> bool:
    """Send the end of a create that came to its end together with a later change."""
    if events.action_of(cluster.status) == "create":
        return True
    return events.cluster(context, "create", outcome, cluster)


def _end_late(context: Any, cluster: Any, entry: Entry) -> None:
    """End a create that came to a final state after its deadline.

    A success is told; a failure was told at the deadline, and the cluster is watched no longer.
    """
    if states.complete(cluster.status):
        if entries.reconsider(entry.id, Outcome.SUCCEEDED):
            LOG.info("Cluster %s was completed after its deadline", cluster.uuid)
            if tell_final(context, cluster):
                entries.notified([entry.id])
    elif states.failed(cluster.status) and entries.reconsider(entry.id, Outcome.FAILED):
        entries.notified([entry.id])
