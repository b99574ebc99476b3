"""What is known of a cluster that fails without a word of its driver.

magnum-capi-helm sets CREATE_FAILED and no reason when an addon cannot be installed, and has no
failed state at all for a cloud that refuses machines: what nodegroups and the monitor say is all
that an operator gets.
"""

from __future__ import annotations

from typing import Any

from magnumlite.conductor import states
from magnumlite.objects.fields import ClusterHealthStatus

#: What monitors say of what is well.
_WELL = frozenset({"True", "ok", "Ready"})

#: Entries of a health map that are told.
_MOST = 10


def of(cluster: Any) -> str:
    """Return which nodegroups have failed and what is unhealthy; "" if nothing is known."""
    failed = [group for group in cluster.nodegroups if states.failed(group.status)]
    groups = "failed nodegroups: " + ", ".join(map(_nodegroup, failed)) if failed else ""
    return "; ".join(filter(None, (groups, health(cluster))))


def health(cluster: Any) -> str:
    """Return what the last health check has found wrong; "" for nothing."""
    if cluster.health_status in (None, ClusterHealthStatus.HEALTHY):
        return ""
    wrong = [
        f"{key}: {value}"
        for key, value in (cluster.health_status_reason or {}).items()
        if value not in _WELL
    ]
    more = [f"{len(wrong) - _MOST} more"] if len(wrong) > _MOST else []
    return f"{cluster.health_status}: {'; '.join(wrong[:_MOST] + more)}".removesuffix(": ")


def _nodegroup(nodegroup: Any) -> str:
    reason = nodegroup.status_reason
    return f"{nodegroup.name} ({reason})" if reason else str(nodegroup.name)
