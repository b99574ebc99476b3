"""Create a cluster."""

from __future__ import annotations

import copy
from typing import Any

from magnumlite import objects
from magnumlite.certs import authority
from magnumlite.conductor import default_nodegroups, quota
from magnumlite.conductor.changes import certificates
from magnumlite.conductor.operation import Change, Operation
from magnumlite.journal.entries import Action


class Create(Change):
    """Create a cluster: rows, certificates, driver (specification, cluster_create)."""

    action = Action.CREATE
    event = "create"
    allowed = None
    doing = "CREATE_IN_PROGRESS"
    failing = "CREATE_FAILED"

    def __init__(
        self, cluster: Any, master_count: int, node_count: int, create_timeout: int | None
    ) -> None:
        super().__init__(cluster.uuid)
        self._given = cluster
        self._master_count = master_count
        self._node_count = node_count
        self._timeout = create_timeout
        self._made = authority.References()

    def insert(self, context: Any) -> None:
        """Insert the cluster and its two default nodegroups.

        Raises:
            ClusterAlreadyExists: a cluster of this uuid is there; nothing changes.
        """
        # A copy: the transaction may have to run again.
        cluster = copy.deepcopy(self._given)
        cluster.status = "CREATE_IN_PROGRESS"
        cluster.status_reason = None
        template = objects.ClusterTemplate.get_by_uuid(context, cluster.cluster_template_id)
        cluster.create(context)
        for nodegroup in default_nodegroups.build(
            context, cluster, template, self._master_count, self._node_count
        ):
            nodegroup.create(context)

    def before(self, op: Operation) -> None:
        """Count the quota again, check the labels, then make the four certificates."""
        quota.check(op.cluster)
        default_nodegroups.limits(op.cluster.labels or {})
        self._made = authority.generate(op.cluster, op.context)
        certificates.note(op.id, self._made)
        self._made.apply(op.cluster)
        op.cluster.save()

    def call(self, op: Operation) -> None:
        """Call create_cluster."""
        op.driver.create_cluster(op.context, op.cluster, self._timeout)

    def after(self, op: Operation) -> None:
        """Save what the driver set; every nodegroup gets the stack's id."""
        op.cluster.save()
        for nodegroup in op.cluster.nodegroups:
            nodegroup.stack_id = op.cluster.stack_id
            nodegroup.save()

    def overtaken(self, op: Operation) -> None:
        """Remove the certificates if the cluster does not know them."""
        certificates.drop_unknown(self._made, self.cluster_uuid, op.context)

    def refused(self, error: Exception, harmless: bool) -> bool:
        """Never: there is no state to go back to."""
        return False

    def fail(self, op: Operation, reason: str) -> None:
        """Fail the cluster and its nodegroups."""
        for nodegroup in op.cluster.nodegroups:
            nodegroup.status = "CREATE_FAILED"
            nodegroup.status_reason = reason
            nodegroup.save()
        super().fail(op, reason)

    def deadline(self) -> int:
        """Return create_timeout in seconds; unset and 0 mean no limit."""
        return (self._timeout or 0) * 60
