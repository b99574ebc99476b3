"""Delete a cluster."""

from __future__ import annotations

import contextvars
import threading
from typing import Any

from oslo_log import log as logging

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.conductor import errors, settle
from magnumlite.conductor.operation import Change, Operation
from magnumlite.conf import CONF
from magnumlite.journal.entries import Action

LOG = logging.getLogger(__name__)


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
        status = str(op.cluster.status)
        if status == op.found or not status.startswith("DELETE_"):
            # Also where it is that already: the driver may have saved another one itself.
            op.cluster.status = None
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


def _pre_delete(op: Operation) -> str | None:
    """Let the driver remove what the cluster made in the cloud; return what went wrong.

    Best effort within [conductor]pre_delete_timeout seconds (known defect B53): a failure is a
    reason, not a stop.
    """
    seconds = CONF.conductor.pre_delete_timeout
    failures: list[str] = []

    def clean() -> None:
        try:
            with errors.contained():
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
