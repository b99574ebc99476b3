"""Upgrade a cluster to a template."""

from __future__ import annotations

from typing import Any

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

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup."""
        super().load(op)
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
            op.nodegroup.status = "UPDATE_IN_PROGRESS"
            op.nodegroup.save()
        op.cluster.cluster_template_id = self._template.uuid
        super().after(op)

    def fail(self, op: Operation, reason: str) -> None:
        """Fail the nodegroup and the cluster."""
        if op.nodegroup is not None:
            op.fail_nodegroup("UPDATE_FAILED", reason)
        super().fail(op, reason)
