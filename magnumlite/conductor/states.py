"""The named sets of cluster and nodegroup statuses, once for the whole project.

Names and members: the specification and contract/objects.json (``enums``), contract/rpc.json
(``allowed``) and contract/periodic.md.
"""

from __future__ import annotations

#: States at rest from which every change is allowed (contract/rpc.json, ``cluster_update``).
COMPLETE = frozenset(
    {
        "CREATE_COMPLETE",
        "UPDATE_COMPLETE",
        "RESUME_COMPLETE",
        "RESTORE_COMPLETE",
        "ROLLBACK_COMPLETE",
        "SNAPSHOT_COMPLETE",
        "CHECK_COMPLETE",
        "ADOPT_COMPLETE",
    }
)

#: Resize and nodegroup operations may be stacked and retried (specification, cluster_resize).
RESIZABLE = COMPLETE | {"UPDATE_FAILED", "UPDATE_IN_PROGRESS"}

#: What ``[conductor]retry_from_failed`` adds for update, upgrade and rotation (known defect B24).
RETRIABLE = frozenset({"UPDATE_FAILED"})

IN_PROGRESS = frozenset(
    {"CREATE_IN_PROGRESS", "UPDATE_IN_PROGRESS", "DELETE_IN_PROGRESS", "ROLLBACK_IN_PROGRESS"}
)

#: A cluster that is going or gone takes no health report (known defect B25).
DELETING = frozenset({"DELETE_IN_PROGRESS", "DELETE_COMPLETE"})

#: What the health sweep looks at (contract/periodic.md, sync_cluster_health_status).
HEALTH_POLLED = frozenset(
    {
        "CREATE_IN_PROGRESS",
        "CREATE_FAILED",
        "CREATE_COMPLETE",
        "UPDATE_IN_PROGRESS",
        "UPDATE_COMPLETE",
        "UPDATE_FAILED",
        "DELETE_IN_PROGRESS",
        "DELETE_FAILED",
        "ROLLBACK_IN_PROGRESS",
    }
)


def in_progress(status: str | None) -> bool:
    """Tell whether a cluster or nodegroup status is on its way to another."""
    return bool(status) and str(status).endswith("_IN_PROGRESS")


def failed(status: str | None) -> bool:
    """Tell whether a status is a final failure."""
    return bool(status) and str(status).endswith("_FAILED")


def complete(status: str | None) -> bool:
    """Tell whether a status is a final success."""
    return bool(status) and str(status).endswith("_COMPLETE")


def failure_of(status: str | None, default: str = "UPDATE_FAILED") -> str:
    """Return the failure that ends an in-progress status.

    ROLLBACK_IN_PROGRESS fails as ROLLBACK_FAILED; anything at rest fails as `default`.
    """
    if not in_progress(status):
        return default
    return str(status).removesuffix("IN_PROGRESS") + "FAILED"
