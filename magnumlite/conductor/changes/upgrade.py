"""Upgrade a cluster to a template."""

from __future__ import annotations

from typing import Any

from magnumlite import objects
from magnumlite.conductor import states
from magnumlite.conductor.operation import Change, Operation
from magnumlite.journal.entries import Action


class Upgrade(Change):
    """Upgrade a cluster or one nodegroup to a template (specification, cluster_upgrade)."""

    action = Action.UPGRADE
    retriable = True
    exclusive = True
    naming = "Upgrading a cluster"

    def __init__(
        self, cluster: Any, template: Any, max_batch_size: int, nodegroup: Any, rollback: bool
    ) -> None:
        super().__init__(cluster.uuid, nodegroup.uuid if nodegroup else None)
        self._template = template
        self._max_batch_size = max_batch_size
        self._rollback = rollback
        self._before = ""

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup."""
        super().load(op)
        self._before = op.cluster.cluster_template_id
        if self.nodegroup_uuid:
            op.nodegroup = self.fresh_nodegroup(op)

    def call(self, op: Operation) -> None:
        """Call upgrade_cluster; rollback by its name (magnum fills another parameter with it)."""
        op.driver.upgrade_cluster(
            op.context,
            op.cluster,
            self._template,
            self._max_batch_size,
            op.nodegroup,
            rollback=self._rollback,
        )

    def after(self, op: Operation) -> None:
        """Record the template, whatever the driver does (known defect B33)."""
        if op.nodegroup is not None:
            op.nodegroup.status, op.nodegroup.status_reason = "UPDATE_IN_PROGRESS", None
            op.nodegroup.save()
        op.cluster.cluster_template_id = self._template.uuid
        super().after(op)

    def undo(self, op: Operation) -> None:
        """Put the old template back where the driver has recorded the new one before it failed.

        Drivers read version and image from it: the next resize would be an upgrade.
        """
        found = objects.Cluster.get_by_uuid(op.context, self.cluster_uuid)
        if found.cluster_template_id == self._template.uuid != self._before:
            found.cluster_template_id = self._before
            found.save()
        op.cluster.cluster_template_id = self._before
        op.cluster.obj_reset_changes(["cluster_template_id"])

    def fail(self, op: Operation, reason: str) -> None:
        """Fail the cluster, its nodegroup and those that the driver has put in progress."""
        if op.nodegroup is not None:
            op.fail_nodegroup("UPDATE_FAILED", reason)
        for nodegroup in op.cluster.nodegroups:
            if states.in_progress(nodegroup.status):
                nodegroup.status, nodegroup.status_reason = "UPDATE_FAILED", reason
                nodegroup.save()
        super().fail(op, reason)
