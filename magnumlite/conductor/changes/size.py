"""Change the size of a cluster: update and resize."""

from __future__ import annotations

from typing import Any

from magnumlite import exception, objects
from magnumlite.conductor import states
from magnumlite.conductor.operation import Change, Operation
from magnumlite.drivers import scale_manager
from magnumlite.journal.entries import Action
from magnumlite.openstack import clients


class Update(Change):
    """Resize the default worker nodegroup by PATCH (specification, cluster_update)."""

    action = Action.UPDATE
    retriable = True

    def __init__(
        self,
        cluster: Any,
        node_count: int | None,
        health_status: str | None,
        health_status_reason: dict[str, Any] | None,
        rollback: bool,
    ) -> None:
        super().__init__(cluster.uuid)
        self._node_count = node_count
        self._health = {
            "health_status": health_status,
            "health_status_reason": health_status_reason or {},
        }
        self._rollback = rollback
        self._before: int | None = None
        self._found: tuple[str | None, str | None] = (None, None)

    def load(self, op: Operation) -> None:
        """Read the cluster and its default worker nodegroup."""
        super().load(op)
        op.nodegroup = op.cluster.default_ng_worker

    def resizes(self, cluster: Any) -> bool:
        """Tell whether the request asks for another size than the default workers have."""
        count = self._node_count
        return count is not None and count != cluster.default_ng_worker.node_count

    def reports_health(self, cluster: Any) -> bool:
        """Tell whether the request brings another health than the cluster has."""
        return self._health != {
            "health_status": cluster.health_status,
            "health_status_reason": cluster.health_status_reason or {},
        }

    def save_health(self, cluster: Any) -> None:
        """Save the health that is reported; accepted in every state but deletion (B25).

        Raises:
            NotSupported: the cluster is being deleted.
        """
        if cluster.status in states.DELETING:
            raise exception.NotSupported(
                operation=f'Updating the health of a cluster when status is "{cluster.status}"'
            )
        for name, value in self._health.items():
            setattr(cluster, name, value)
        cluster.save()

    def idle(self, op: Operation) -> bool:
        """Do what needs no driver; tell whether that was all."""
        if self.resizes(op.cluster):
            return False
        if self.reports_health(op.cluster):
            self.save_health(op.cluster)
        return True

    def call(self, op: Operation) -> None:
        """Set the new size and call update_cluster.

        The default workers are in progress from now on: a driver that asks only those in progress
        how they are, as magnum-capi-helm does, would call the cluster complete at once (B34).
        """
        manager = _scale_manager(op)
        nodegroup = op.nodegroup
        self._found = nodegroup.status, nodegroup.status_reason
        self._before, nodegroup.node_count = nodegroup.node_count, self._node_count
        nodegroup.status, nodegroup.status_reason = "UPDATE_IN_PROGRESS", None
        nodegroup.save()
        op.driver.update_cluster(op.context, op.cluster, manager, self._rollback)

    def undo(self, op: Operation) -> None:
        """Give the default workers their old size and status back where they are still ours."""
        _restore_size(op, self._node_count, self._before)
        if self._before is not None and op.nodegroup.status == "UPDATE_IN_PROGRESS":
            op.nodegroup.status, op.nodegroup.status_reason = self._found
            op.nodegroup.save()


class Resize(Change):
    """Resize one nodegroup, the autoscaler's path (specification, cluster_resize)."""

    action = Action.RESIZE
    allowed = states.RESIZABLE
    naming = "Resizing a cluster"

    def __init__(
        self, cluster: Any, node_count: int, nodes_to_remove: list[str], nodegroup: Any
    ) -> None:
        super().__init__(cluster.uuid, nodegroup.uuid)
        self._node_count = node_count
        self._nodes_to_remove = nodes_to_remove
        self._manager: Any = None
        self._before: int | None = None
        self._found: tuple[str | None, str | None] = (None, None)

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup."""
        super().load(op)
        op.nodegroup = self.fresh_nodegroup(op)

    def before(self, op: Operation) -> None:
        """Save the new size; the nodegroup is in progress from now on.

        The scale manager is made while the rows still have the old one.
        """
        self._manager = _scale_manager(op)
        nodegroup = op.nodegroup
        self._found = nodegroup.status, nodegroup.status_reason
        self._before, nodegroup.node_count = nodegroup.node_count, self._node_count
        nodegroup.status, nodegroup.status_reason = "UPDATE_IN_PROGRESS", None
        nodegroup.save()

    def call(self, op: Operation) -> None:
        """Call resize_cluster."""
        op.driver.resize_cluster(
            op.context,
            op.cluster,
            self._manager,
            self._node_count,
            self._nodes_to_remove,
            op.nodegroup,
        )

    def undo(self, op: Operation) -> None:
        """Give the nodegroup its old size back if it is still ours."""
        _restore_size(op, self._node_count, self._before)

    def restore(self, op: Operation, reason: str) -> None:
        """Give the nodegroup its old status back."""
        if self._before is not None:
            op.nodegroup.status, op.nodegroup.status_reason = self._found
            op.nodegroup.save()

    def fail(self, op: Operation, reason: str) -> None:
        """Fail the nodegroup and the cluster."""
        op.fail_nodegroup("UPDATE_FAILED", reason)
        super().fail(op, reason)


def _scale_manager(op: Operation) -> Any:
    return scale_manager.get_scale_manager(
        op.context, clients.OpenStackClients(op.context), op.cluster
    )


def _restore_size(op: Operation, ours: int | None, before: int | None) -> None:
    if before is None:
        return
    found = objects.NodeGroup.get_by_uuid(op.context, op.cluster.uuid, op.nodegroup.uuid)
    if found.node_count == ours:
        found.node_count = before
        found.save()
    op.nodegroup = found
