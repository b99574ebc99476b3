"""Create, update and delete a nodegroup."""

from __future__ import annotations

import copy
from typing import Any, ClassVar

from oslo_log import log as logging

from magnumlite import exception, objects
from magnumlite.conductor import errors, states
from magnumlite.conductor.operation import Change, Operation
from magnumlite.db import engine
from magnumlite.journal.entries import Action
from magnumlite.notifications import events

LOG = logging.getLogger(__name__)


class NodegroupChange(Change):
    """What the three have in common: two rows, two statuses, two kinds of event.

    Both statuses are saved before the driver is called and neither after it, so that nothing is
    left in progress by a poll that came between (known defect B35).
    """

    allowed = None
    naming = "Changing a nodegroup"
    #: The action that the nodegroup's events name.
    nodegroup_event: ClassVar[str]
    nodegroup_doing: ClassVar[str]
    nodegroup_failing: ClassVar[str]

    def __init__(self, cluster: Any, nodegroup: Any) -> None:
        super().__init__(cluster.uuid, nodegroup.uuid)
        self._given = nodegroup
        self._found: dict[str, tuple[str | None, str | None]] = {}

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup."""
        super().load(op)
        op.nodegroup = self.fresh_nodegroup(op)

    def guard(self, op: Operation) -> None:
        """Refuse on a cluster that is going, and in the wrong state of the nodegroup.

        Raises:
            NotSupported: the text names the nodegroup's own status (known defect B52).
        """
        if op.cluster.status in states.DELETING:
            raise exception.NotSupported(
                operation=f'{self.naming} when cluster status is "{op.cluster.status}"'
            )

    def before(self, op: Operation) -> None:
        """Put both rows in progress in one transaction."""
        tried = False

        @engine.retried
        def write() -> None:
            nonlocal tried
            if tried:
                # What the first try set on the objects counts as saved; its rows may be, too.
                self.load_again(op)
            tried = True
            with engine.writer():
                self._save_nodegroup(op)
                self._move(op.cluster, "UPDATE_IN_PROGRESS")

        write()

    def load_again(self, op: Operation) -> None:
        """Read both rows again after a transaction that may have failed."""
        self.load(op)

    def after(self, op: Operation) -> None:
        """Save what the driver set on either row."""
        op.nodegroup.save()
        op.cluster.save()

    def result(self, op: Operation) -> Any:
        """Return the nodegroup."""
        op.nodegroup.obj_reset_changes()
        return op.nodegroup

    def restore(self, op: Operation, reason: str) -> None:
        """Give both rows their old statuses back."""
        for row, (status, status_reason) in self._found.items():
            found = op.cluster if row == "cluster" else op.nodegroup
            found.status, found.status_reason = status, status_reason
            found.save()

    def fail(self, op: Operation, reason: str) -> None:
        """Fail the nodegroup and the cluster; the cluster's reason names the nodegroup."""
        op.fail_nodegroup(self.nodegroup_failing, reason)
        super().fail(op, f"Nodegroup {op.nodegroup.name}: {reason}")

    def notify(self, op: Operation, outcome: str) -> bool:
        """Send the nodegroup's event; a failure is the cluster's too."""
        nodegroup = op.nodegroup or self._given
        told = events.nodegroup(op.context, self.nodegroup_event, outcome, op.cluster, nodegroup)
        return told and (outcome != "failure" or super().notify(op, outcome))

    def _save_nodegroup(self, op: Operation) -> None:
        self._move(op.nodegroup, self.nodegroup_doing)

    def _move(self, row: Any, status: str) -> None:
        kind = "cluster" if isinstance(row, objects.Cluster) else "nodegroup"
        self._found.setdefault(kind, (row.status, row.status_reason))
        row.status, row.status_reason = status, None
        row.save()

    def _require(self, status: str | None) -> None:
        if status not in states.RESIZABLE:
            raise exception.NotSupported(
                operation=f'{self.naming} when nodegroup status is "{status}"'
            )


class Create(NodegroupChange):
    """Add a nodegroup (specification, nodegroup_create)."""

    action = Action.NODEGROUP_CREATE
    naming = "Creating a nodegroup"
    nodegroup_event = "create"
    nodegroup_doing = "CREATE_IN_PROGRESS"
    nodegroup_failing = "CREATE_FAILED"

    def load(self, op: Operation) -> None:
        """Read the cluster; the nodegroup is the caller's until it is inserted."""
        Change.load(self, op)

    def load_again(self, op: Operation) -> None:
        """Read the cluster again, and the nodegroup if it has been inserted."""
        super().load_again(op)
        try:
            op.nodegroup = self.fresh_nodegroup(op)
        except exception.NodeGroupNotFound:
            op.nodegroup = None

    def guard(self, op: Operation) -> None:
        """Refuse a nodegroup that comes with a wrong status; one without any is new."""
        super().guard(op)
        if "status" in self._given:
            self._require(self._given.status)

    def _save_nodegroup(self, op: Operation) -> None:
        """Insert the nodegroup.

        Raises:
            NodeGroupAlreadyExists: its name is taken; the cluster stays as it was.
        """
        if op.nodegroup is not None:
            return
        nodegroup = copy.deepcopy(self._given)
        nodegroup.status, nodegroup.status_reason = self.nodegroup_doing, None
        nodegroup.create(op.context)
        op.nodegroup = nodegroup

    def restore(self, op: Operation, reason: str) -> None:
        """Give the cluster its old status back; a nodegroup that was inserted shows why."""
        super().restore(op, reason)
        if op.nodegroup is not None:
            op.fail_nodegroup(self.nodegroup_failing, reason)

    def fail(self, op: Operation, reason: str) -> None:
        """Fail both, or the cluster alone when there is no row yet."""
        if op.nodegroup is None:
            Change.fail(self, op, f"Nodegroup {self._given.name}: {reason}")
            return
        super().fail(op, reason)

    def call(self, op: Operation) -> None:
        """Call create_nodegroup."""
        op.driver.create_nodegroup(op.context, op.cluster, op.nodegroup)


class Update(NodegroupChange):
    """Change a nodegroup's limits, labels or taints (specification, nodegroup_update)."""

    action = Action.NODEGROUP_UPDATE
    naming = "Updating a nodegroup"
    nodegroup_event = "update"
    nodegroup_doing = "UPDATE_IN_PROGRESS"
    nodegroup_failing = "UPDATE_FAILED"

    def __init__(self, cluster: Any, nodegroup: Any) -> None:
        super().__init__(cluster, nodegroup)
        self._ours = nodegroup.obj_get_changes()
        self._theirs: dict[str, Any] = {}

    def guard(self, op: Operation) -> None:
        """Refuse in the wrong state of the nodegroup."""
        super().guard(op)
        self._require(op.nodegroup.status)

    def _save_nodegroup(self, op: Operation) -> None:
        """Apply what the caller changed to the fresh row."""
        for name, value in self._ours.items():
            self._theirs.setdefault(name, getattr(op.nodegroup, name))
            setattr(op.nodegroup, name, value)
        super()._save_nodegroup(op)

    def call(self, op: Operation) -> None:
        """Call update_nodegroup."""
        op.driver.update_nodegroup(op.context, op.cluster, op.nodegroup)

    def undo(self, op: Operation) -> None:
        """Give the changed fields their old values back where they are still ours."""
        if not self._theirs:
            return
        op.nodegroup = self.fresh_nodegroup(op)
        for name, value in self._theirs.items():
            if getattr(op.nodegroup, name) == self._ours[name]:
                setattr(op.nodegroup, name, value)
        op.nodegroup.save()


class Delete(NodegroupChange):
    """Remove a nodegroup (specification, nodegroup_delete)."""

    action = Action.NODEGROUP_DELETE
    naming = "Deleting a nodegroup"
    nodegroup_event = "delete"
    nodegroup_doing = "DELETE_IN_PROGRESS"
    nodegroup_failing = "DELETE_FAILED"

    def __init__(self, cluster: Any, nodegroup: Any) -> None:
        super().__init__(cluster, nodegroup)
        self._gone = False

    def load(self, op: Operation) -> None:
        """Read the cluster and the nodegroup, which may be gone by the time its turn comes."""
        try:
            super().load(op)
        except exception.NodeGroupNotFound:
            LOG.info("%s: nodegroup %s is gone already", op, self.nodegroup_uuid)

    def idle(self, op: Operation) -> bool:
        """Tell that the nodegroup is gone."""
        return op.nodegroup is None

    def call(self, op: Operation) -> None:
        """Call delete_nodegroup; "not found" means that it is gone (known defect B15)."""
        try:
            op.driver.delete_nodegroup(op.context, op.cluster, op.nodegroup)
        except Exception as error:
            if not errors.gone(error):
                raise
            LOG.info("%s: the driver finds nothing left to delete: %s", op, error)
            self._gone = True

    def after(self, op: Operation) -> None:
        """Save what the driver set, or remove the row of what is gone."""
        if self._gone:
            op.nodegroup.destroy()
        elif op.nodegroup.obj_what_changed():
            op.nodegroup.save()
        op.cluster.save()

    def result(self, op: Operation) -> None:
        """Return nothing."""

    def shield(self, error: Exception, op: Operation) -> Exception:
        """Tell a driver that is busy from one that failed (known defect B15)."""
        if op.entered and errors.conflict(error):
            return exception.NgOperationInProgress(nodegroup_name=op.nodegroup.name)
        return error
