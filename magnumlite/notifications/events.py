"""Telling the cloud what happens to clusters: one function for each kind of event.

None of them ever raises: an operation does not fail because nobody could be told. Each returns
whether the event is out; what could not be sent is in the log, with the cluster's UUID.
"""

from collections.abc import Callable
from typing import Any

from oslo_log import log as logging
from pycadf import resource

from magnumlite.context import RequestContext
from magnumlite.notifications import cadf, notifier

LOG = logging.getLogger(__name__)

_ACTIONS = {"CREATE": "create", "UPDATE": "update", "ROLLBACK": "update", "DELETE": "delete"}
_OUTCOMES = {"COMPLETE": "success", "FAILED": "failure"}


def action_of(status: str | None) -> str | None:
    """Return what ended in `status`: create, update or delete.

    None for a status that is not final or that is no end of these, such as RESUME_COMPLETE:
    it has no event (known defect B43).
    """
    began, _, ended = (status or "").partition("_")
    return _ACTIONS.get(began) if ended in _OUTCOMES else None


def outcome_of(status: str | None) -> str | None:
    """Return how what ended in `status` went: success or failure; None where action_of does."""
    return _OUTCOMES[str(status).partition("_")[2]] if action_of(status) else None


def cluster(
    context: RequestContext | None,
    action: str,
    outcome: str,
    cluster: Any | None = None,
    nodegroups: list[Any] | None = None,
) -> bool:
    """Send magnum.cluster.<create|update|delete>, outcome pending, success or failure.

    `nodegroups` are the cluster's, for who has them: after a deletion they cannot be read.
    """
    return _send(
        context,
        f"magnum.cluster.{action}",
        action,
        outcome,
        lambda: cadf.cluster(cluster, nodegroups),
        getattr(cluster, "uuid", None),
    )


def nodegroup(
    context: RequestContext | None, action: str, outcome: str, cluster: Any, nodegroup: Any
) -> bool:
    """Send magnum.nodegroup.<create|update|delete>; the target is the nodegroup (B51)."""
    return _send(
        context,
        f"magnum.nodegroup.{action}",
        action,
        outcome,
        lambda: cadf.nodegroup(cluster, nodegroup),
        cluster.uuid,
    )


def credential(context: RequestContext | None, outcome: str, cluster: Any) -> bool:
    """Send magnum.credential.rotate; the target is the cluster (B51)."""
    return _send(
        context,
        "magnum.credential.rotate",
        "renew",
        outcome,
        lambda: cadf.cluster(cluster),
        cluster.uuid,
    )


def health(context: RequestContext | None, cluster: Any, before: str | None) -> bool:
    """Send magnum.cluster.health: the cluster's health is no longer what it was `before`.

    Callers ask [health]notify first (B51).
    """
    return _send(
        context,
        "magnum.cluster.health",
        "monitor",
        "success",
        lambda: cadf.health(cluster, before),
        cluster.uuid,
    )


def _send(
    context: RequestContext | None,
    event_type: str,
    action: str,
    outcome: str,
    target: Callable[[], resource.Resource],
    cluster_uuid: str | None,
) -> bool:
    try:
        payload = cadf.event(context, action, outcome, target())
        sent = notifier.send(context, event_type, payload, failure=outcome == "failure")
    except Exception:
        LOG.exception("Cluster %s: no event %s %s was sent", cluster_uuid, event_type, outcome)
        return False
    if not sent:
        LOG.warning("Cluster %s: no event %s %s was sent", cluster_uuid, event_type, outcome)
    return sent
