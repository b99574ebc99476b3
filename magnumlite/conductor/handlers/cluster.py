"""Cluster create, update, delete, resize and upgrade."""

from __future__ import annotations

import contextvars
import copy
import threading
from typing import Any

from oslo_log import log as logging

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.certs import authority
from magnumlite.conductor import default_nodegroups, errors, quota, settle, states
from magnumlite.conductor.intake import Intake
from magnumlite.conductor.operation import Change, Operation
from magnumlite.conf import CONF
from magnumlite.drivers import scale_manager
from magnumlite.journal import claims
from magnumlite.journal.entries import Action
from magnumlite.openstack import clients

LOG = logging.getLogger(__name__)


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
        """Count the quota again, then make the four certificates."""
        quota.check(op.cluster)
        authority.generate(op.cluster, op.context).apply(op.cluster)
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
        """Set the new size and call update_cluster."""
        manager = _scale_manager(op)
        self._before, op.nodegroup.node_count = op.nodegroup.node_count, self._node_count
        op.nodegroup.save()
        op.driver.update_cluster(op.context, op.cluster, manager, self._rollback)

    def undo(self, op: Operation) -> None:
        """Give the default workers their old size back if it is still ours."""
        _restore_size(op, self._node_count, self._before)


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
        self._before: int | None = None
        self._found: tuple[str | None, str | None] = (None, None)

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup."""
        super().load(op)
        op.nodegroup = self.fresh_nodegroup(op)

    def before(self, op: Operation) -> None:
        """Save the new size; the nodegroup is in progress from now on."""
        nodegroup = op.nodegroup
        self._found = nodegroup.status, nodegroup.status_reason
        self._before, nodegroup.node_count = nodegroup.node_count, self._node_count
        nodegroup.status = "UPDATE_IN_PROGRESS"
        nodegroup.save()

    def call(self, op: Operation) -> None:
        """Call resize_cluster."""
        op.driver.resize_cluster(
            op.context,
            op.cluster,
            _scale_manager(op),
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
        _fail_nodegroup(op, "UPDATE_FAILED", reason)
        super().fail(op, reason)


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
            _fail_nodegroup(op, "UPDATE_FAILED", reason)
        super().fail(op, reason)


class Delete(Change):
    """Start the driver's teardown (specification, cluster_delete)."""

    action = Action.DELETE
    event = "delete"
    allowed = None
    doing = "DELETE_IN_PROGRESS"
    failing = "DELETE_FAILED"
    tells_first = True

    def __init__(self, cluster_uuid: str) -> None:
        super().__init__(cluster_uuid)
        self._left: str | None = None
        self._gone = False

    def insert(self, context: Any) -> None:
        """Insert nothing, but look whether the context may see the cluster.

        Raises:
            ClusterNotFound: it may not, or there is none.
        """
        objects.Cluster.get_by_uuid(context, self.cluster_uuid)

    def call(self, op: Operation) -> None:
        """Call pre_delete_cluster, then delete_cluster.

        When the user's rights are gone the service's own are tried (known defect B38).  An error
        that says "not found" means that there is nothing left to delete (known defect B15).
        """
        self._left = _pre_delete(op)
        try:
            try:
                op.driver.delete_cluster(op.context, op.cluster)
            except Exception as error:
                if not errors.unauthorised(error):
                    raise
                LOG.warning("%s: %s; trying with the service's rights", op, error)
                admin = context_module.make_admin_context(all_tenants=True)
                op.driver.delete_cluster(admin, op.cluster)
        except Exception as error:
            if not errors.gone(error):
                raise
            LOG.info("%s: the driver finds nothing left to delete: %s", op, error)
            self._gone = True

    def after(self, op: Operation) -> None:
        """Save DELETE_IN_PROGRESS, or finish the deletion of what is gone."""
        if self._gone:
            op.cluster.status = "DELETE_COMPLETE"
            op.cluster.save()
            settle.finish_deletion(op.context, op.cluster)
            return
        op.advance()
        if not str(op.cluster.status).startswith("DELETE_"):
            op.cluster.status = self.doing
        op.cluster.status_reason = self._left
        op.cluster.save()

    def result(self, op: Operation) -> None:
        """Return nothing."""

    def shield(self, error: Exception, op: Operation) -> Exception:
        """Tell a driver that is busy from one that failed (known defect B15)."""
        if op.entered and errors.conflict(error):
            return exception.OperationInProgress(cluster_name=op.cluster.name)
        return error

    def refused(self, error: Exception, harmless: bool) -> bool:
        """Only when the driver is busy; whatever else stops a deletion is DELETE_FAILED."""
        return isinstance(error, exception.OperationInProgress)


class ClusterHandler:
    """The cluster endpoint."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def cluster_create(
        self,
        context: Any,
        cluster: Any,
        master_count: int,
        node_count: int,
        create_timeout: int | None,
    ) -> Any:
        """Accept a new cluster.

        Raises:
            ClusterAlreadyExists: its uuid is taken; nothing changes.
        """
        change = Create(cluster, master_count, node_count, create_timeout)
        return self._intake.submit(
            context,
            change,
            "cluster_create",
            cluster=cluster,
            master_count=master_count,
            node_count=node_count,
            create_timeout=create_timeout,
        )

    def cluster_update(
        self,
        context: Any,
        cluster: Any,
        node_count: int | None,
        health_status: str | None,
        health_status_reason: dict[str, Any] | None,
        rollback: bool = False,
    ) -> Any:
        """Accept a new size of the default workers, or save a reported health.

        What needs no driver is done here and leaves no row, unless operations wait whose result
        it depends on.

        Raises:
            NotSupported: the cluster's state does not allow it.
        """
        change = Update(cluster, node_count, health_status, health_status_reason, rollback)
        with self._intake.patient():
            if not claims.busy(cluster.uuid):
                found = objects.Cluster.get_by_uuid(context, cluster.uuid)
                if not change.resizes(found):
                    if not change.reports_health(found):
                        return None
                    change.save_health(found)
                    return found
        return self._intake.submit(
            context,
            change,
            "cluster_update",
            cluster=cluster,
            node_count=node_count,
            health_status=health_status,
            health_status_reason=health_status_reason,
            rollback=rollback,
        )

    def cluster_delete(self, context: Any, uuid: str) -> Any:
        """Accept a deletion, in any state.

        Raises:
            ClusterNotFound: the context sees no such cluster.
        """
        return self._intake.submit(context, Delete(uuid), "cluster_delete", uuid=uuid)

    def cluster_resize(
        self,
        context: Any,
        cluster: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any,
    ) -> Any:
        """Accept a new size of one nodegroup."""
        return self._intake.submit(
            context,
            Resize(cluster, node_count, nodes_to_remove, nodegroup),
            "cluster_resize",
            cluster=cluster,
            node_count=node_count,
            nodes_to_remove=nodes_to_remove,
            nodegroup=nodegroup,
        )

    def cluster_upgrade(
        self,
        context: Any,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        rollback: bool = False,
    ) -> Any:
        """Upgrade a cluster; answers when the driver has accepted, or in time.

        Raises:
            NotSupported: the cluster's state does not allow it, or the driver cannot.
            OperationInProgress: another upgrade or rotation of the cluster is under way.
        """
        return self._intake.submit(
            context,
            Upgrade(cluster, cluster_template, max_batch_size, nodegroup, rollback),
            "cluster_upgrade",
            cluster=cluster,
            cluster_template=cluster_template,
            max_batch_size=max_batch_size,
            nodegroup=nodegroup,
            rollback=rollback,
        )


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


def _fail_nodegroup(op: Operation, status: str, reason: str) -> None:
    op.nodegroup.status = status
    op.nodegroup.status_reason = reason
    op.nodegroup.save()


def _pre_delete(op: Operation) -> str | None:
    """Let the driver remove what the cluster made in the cloud; return what went wrong.

    Best effort within [conductor]pre_delete_timeout seconds (known defect B53): a failure is a
    reason, not a stop.
    """
    seconds = CONF.conductor.pre_delete_timeout
    failures: list[str] = []

    def clean() -> None:
        try:
            op.driver.pre_delete_cluster(op.context, op.cluster)
        except Exception as error:
            failures.append(errors.reason(error))
            LOG.warning("%s: pre_delete_cluster failed: %s", op, error)

    thread = threading.Thread(
        target=contextvars.copy_context().run, args=(clean,), name="pre-delete", daemon=True
    )
    thread.start()
    thread.join(seconds)
    if thread.is_alive():
        LOG.warning("%s: pre_delete_cluster has not returned in %d s; going on", op, seconds)
        return f"Resources of the cluster may be left: clean-up did not end in {seconds} s"
    if failures:
        return f"Resources of the cluster may be left: {failures[0]}"
    return None
