"""One runner for every operation: claim, guard, notify, call the driver, commit or undo.

A Change says what one kind of operation reads, saves and calls; an Operation runs it.  Changes
hold no try/except and send no events of their own, so that every operation fails in the same way
(DESIGN section 4, item 3).
"""

from __future__ import annotations

import time
from concurrent.futures import Future
from typing import Any, ClassVar

from oslo_db import exception as db_exc
from oslo_log import log as logging

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.conductor import errors, states
from magnumlite.conf import CONF
from magnumlite.db import fence, patience
from magnumlite.drivers import registry
from magnumlite.journal import entries
from magnumlite.journal.entries import Action, Entry, Outcome
from magnumlite.notifications import events

LOG = logging.getLogger(__name__)


class Change:
    """One kind of operation; an instance carries the arguments of one request.

    The steps are called in this order: load, guard, before, (pending event), call, after.  After
    an error: undo, then fail unless the error came before any change.
    """

    action: ClassVar[Action]
    #: The action that cluster events name (contract/notifications.md).
    event: ClassVar[str] = "update"
    #: Statuses of the cluster in which the operation may begin; None: any.
    allowed: ClassVar[frozenset[str] | None] = states.COMPLETE
    #: Whether [conductor]retry_from_failed opens UPDATE_FAILED too (known defect B24).
    retriable: ClassVar[bool] = False
    doing: ClassVar[str] = "UPDATE_IN_PROGRESS"
    failing: ClassVar[str] = "UPDATE_FAILED"
    #: What the refusal's text calls the operation.
    naming: ClassVar[str] = "Updating a cluster"
    #: Whether the final state is seen by the status sweep, or the driver's return is the end.
    awaited: ClassVar[bool] = True
    #: Whether two such requests at a time are refused rather than queued (known defect B32).
    exclusive: ClassVar[bool] = False
    #: Whether the failure event goes out before the failed status is saved.
    tells_first: ClassVar[bool] = False

    def __init__(self, cluster_uuid: str, nodegroup_uuid: str | None = None) -> None:
        self.cluster_uuid = cluster_uuid
        self.nodegroup_uuid = nodegroup_uuid

    def insert(self, context: Any) -> None:
        """Write the rows that appear together with the journal's, in its transaction."""

    def load(self, op: Operation) -> None:
        """Read what the steps need, fresh; sets ``op.cluster`` and whatever else."""
        op.cluster = objects.Cluster.get_by_uuid(op.context, self.cluster_uuid)

    def fresh_nodegroup(self, op: Operation) -> Any:
        """Return the nodegroup of the request as its row is now.

        Raises:
            NodeGroupNotFound: it is gone.
        """
        return objects.NodeGroup.get_by_uuid(
            op.context, self.cluster_uuid, str(self.nodegroup_uuid)
        )

    def guard(self, op: Operation) -> None:
        """Refuse the operation in the wrong state.

        Raises:
            NotSupported: with the status in its text.
        """
        allowed = self.allowed
        if allowed is None:
            return
        if self.retriable and CONF.conductor.retry_from_failed:
            allowed |= states.RETRIABLE
        if op.cluster.status not in allowed:
            raise exception.NotSupported(
                operation=f'{self.naming} when status is "{op.cluster.status}"'
            )

    def idle(self, op: Operation) -> bool:
        """Tell that there is nothing to change after all."""
        return False

    def before(self, op: Operation) -> None:
        """Save what must be visible before the driver is called."""

    def call(self, op: Operation) -> None:
        """Call the driver."""
        raise NotImplementedError

    def after(self, op: Operation) -> None:
        """Save what the accepted operation means, in any order but the cluster last."""
        op.advance()
        op.cluster.save()

    def undo(self, op: Operation) -> None:
        """Take back what this operation wrote, where it is still as it wrote it."""

    def overtaken(self, op: Operation) -> None:
        """Remove what this operation made outside the rows and nobody refers to."""

    def restore(self, op: Operation, reason: str) -> None:
        """Leave the cluster as it was found: the request was refused for `reason`."""

    def fail(self, op: Operation, reason: str) -> None:
        """Save the failed statuses with the reason."""
        op.cluster.status = self.failing
        op.cluster.status_reason = reason
        op.cluster.save()

    def result(self, op: Operation) -> Any:
        """Return what a caller gets."""
        return op.reply(op.cluster)

    def notify(self, op: Operation, outcome: str) -> bool:
        """Send the event of a step, pending, success or failure; False if it is not out."""
        return events.cluster(op.context, self.event, outcome, op.cluster)

    def deadline(self) -> int:
        """Return the seconds the operation may take until its final state, 0 for no limit."""
        return int(CONF.deadline[_DEADLINES[self.action]] * 60) if self.action in _DEADLINES else 0

    def shield(self, error: Exception, op: Operation) -> Exception:
        """Return the error that the caller gets for the driver's."""
        return error

    def refused(self, error: Exception, harmless: bool) -> bool:
        """Tell whether an error leaves the cluster's state alone (known defect B64).

        `harmless` tells that it came before any change.
        """
        return harmless


_DEADLINES = {
    Action.UPDATE: "update",
    Action.RESIZE: "update",
    Action.UPGRADE: "upgrade",
    Action.DELETE: "delete",
    Action.NODEGROUP_CREATE: "nodegroup",
    Action.NODEGROUP_UPDATE: "nodegroup",
    Action.NODEGROUP_DELETE: "nodegroup",
    Action.ROTATE_CA: "rotate",
}


class Operation:
    """One accepted operation in the process that runs it.

    `future` ends with the result or the error.  `request` is the method and the arguments with
    which the operation can be cast again.
    """

    def __init__(
        self, entry: Entry, context: Any, change: Change, request: tuple[str, dict[str, Any]]
    ) -> None:
        self.entry = entry
        self.context = context
        self.change = change
        self.request = request
        self.future: Future[Any] = Future()
        #: Set when the caller has got its answer before the driver's: nobody hears a refusal.
        self.answered = False
        self.entered = False
        self.cluster: Any = None
        self.nodegroup: Any = None
        self._status: str | None = None
        self._driver: Any = None

    @property
    def id(self) -> int:
        """The journal's id: the operation's place in line."""
        return self.entry.id

    def __str__(self) -> str:
        return (
            f"{self.entry.action} {self.entry.uuid} of cluster {self.entry.cluster_uuid}"
            f" [{self.context.request_id}]"
        )

    @property
    def driver(self) -> Any:
        """The cluster's driver, looked up once."""
        if self._driver is None:
            self._driver = registry.for_cluster(_admin(), self.cluster)
        return self._driver

    @property
    def found(self) -> str | None:
        """The cluster's status when the operation began."""
        return self._status

    def advance(self) -> None:
        """Put the cluster in progress, unless the driver has already moved it on."""
        if self.cluster.status == self._status or self.cluster.status is None:
            self.cluster.status = self.change.doing
            self.cluster.status_reason = None

    def fail_nodegroup(self, status: str, reason: str) -> None:
        """Save the operation's nodegroup as failed."""
        self.nodegroup.status = status
        self.nodegroup.status_reason = reason
        self.nodegroup.save()

    def hand_over(self) -> None:
        """Answer the caller, if any, of an operation that another process will run."""
        self.answered = True
        try:
            self.future.set_result(self.early_answer())
        except (exception.MagnumException, db_exc.DBError) as error:
            self.future.set_exception(error)

    def early_answer(self) -> Any:
        """Return what a caller gets whose time is up: the cluster, on its way."""
        if not self.change.awaited:
            return None
        cluster = objects.Cluster.get_by_uuid(self.context, self.entry.cluster_uuid)
        cluster.status = self.change.doing
        try:
            # Shown by the row too, else who waits for the end would see the state before it.
            with fence.holding(self._fence()):
                cluster.save()
        except exception.ClaimLost:
            LOG.debug("%s still waits for its turn", self)
        return self.reply(cluster)

    def reply(self, cluster: Any) -> Any:
        """Return a cluster as its caller gets it: with its template, if it came with that."""
        given = self.request[1].get("cluster")
        if (
            given is not None
            and given.obj_attr_is_set("cluster_template")
            and given.cluster_template.uuid == cluster.cluster_template_id
        ):
            cluster.cluster_template = given.cluster_template
        cluster.obj_reset_changes()
        return cluster

    def run(self) -> None:
        """Run the operation under its claim, to the driver's return; never raises.

        Post: the claim is given back, or has been lost; `future` has ended.
        """
        begun = time.monotonic()
        guard = self._fence()
        try:
            with (
                context_module.using(self.context),
                patience.of(patience.JOB),
                fence.holding(guard),
            ):
                result = self._run(guard)
        except Exception as error:
            LOG.info("%s ended after %.1f s: %s", self, time.monotonic() - begun, error)
            self._let_go(error)
            self.future.set_exception(error)
        else:
            LOG.info("%s: the driver returned after %.1f s", self, time.monotonic() - begun)
            self.future.set_result(result)

    def _fence(self) -> fence.OperationFence:
        """Return the right of this operation; only a delete goes on with what is being deleted."""
        not_over = () if self.change.action is Action.DELETE else states.DELETING
        return fence.OperationFence(self.entry.cluster_uuid, self.id, not_over=not_over)

    def _let_go(self, error: Exception) -> None:
        """Make sure that an operation that has failed holds no claim, whatever failed."""
        try:
            with patience.of(patience.JOB):
                if entries.abandon(self.id, errors.reason(error)):
                    LOG.error("%s ended without its failure being saved", self, exc_info=error)
        except (db_exc.DBError, exception.MagnumException) as away:
            LOG.error("%s could not be ended in the journal: %s", self, away)

    def _run(self, guard: fence.Fence) -> Any:
        change = self.change
        seconds = change.deadline()
        if seconds:
            entries.expire_at(self.id, seconds)
        try:
            change.load(self)
            self._status = self.cluster.status
            if change.idle(self):
                entries.finish(self.id, Outcome.UNCHANGED, notified=True)
                return None
            change.guard(self)
            change.before(self)
            guard.writes = 0
            change.notify(self, "pending")
            self.entered = entries.enter(self.id)
            if not self.entered:
                raise guard.lost()
            with errors.contained():
                change.call(self)
            change.after(self)
        except Exception as error:
            self._fail(change.shield(error, self), guard)
        result = change.result(self)
        if change.awaited:
            entries.release(self.id)
        else:
            self._end(Outcome.SUCCEEDED, None, "success")
        return result

    def _fail(self, error: Exception, guard: fence.Fence) -> None:
        """Undo, save the failure unless nothing was changed, tell it; raises `error`."""
        if isinstance(error, exception.ClaimLost):
            LOG.warning("%s has lost its claim; nothing more of it is written", self)
            self.change.overtaken(self)
            raise error
        reason = errors.reason(error)
        if self._driver is not None:
            registry.failed(self._driver)
        if self.cluster is None:
            entries.finish(self.id, Outcome.FAILED, reason, notified=True)
            raise error
        harmless = errors.harmless(error, entered=self.entered, wrote=guard.writes > 0)
        refused = self.change.refused(error, harmless) and not self.answered
        try:
            told = self._save_failure(refused, reason, guard)
        except exception.ClaimLost:
            LOG.warning("%s has lost its claim while it failed: %s", self, reason)
            self.change.overtaken(self)
            raise error from None
        outcome = Outcome.REFUSED if refused else Outcome.FAILED
        self._end(outcome, reason, "failure", told=told)
        if not isinstance(error, exception.MagnumException):
            LOG.error("%s failed: %s", self, reason, exc_info=error)
        raise error

    def _end(self, outcome: Outcome, reason: str | None, event: str, *, told: bool = False) -> None:
        """End the operation, then tell it: who has lost its claim has nothing to tell."""
        ended = entries.finish(self.id, outcome, reason, notified=told)
        if ended and not told and self.change.notify(self, event):
            entries.notified([self.id])

    def _save_failure(self, refused: bool, reason: str, guard: fence.Fence) -> bool:
        """Undo and save; tell whether the event is out, for a change that tells before it saves."""
        try:
            self.change.undo(self)
        except exception.MagnumException as error:
            if isinstance(error, exception.ClaimLost):
                raise
            LOG.error("%s could not be undone: %s", self, error)
        if self.change.tells_first and not entries.holds(self.id):
            raise guard.lost()
        told = self.change.tells_first and self.change.notify(self, "failure")
        if refused:
            self.change.restore(self, reason)
        else:
            self.change.fail(self, reason)
        return told


def _admin() -> Any:
    return context_module.make_admin_context(all_tenants=True)
