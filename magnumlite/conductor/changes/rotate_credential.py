"""Rotate the credential with which a cluster uses the cloud."""

from __future__ import annotations

from magnumlite import exception
from magnumlite.conductor import states
from magnumlite.conductor.operation import Change, Operation
from magnumlite.journal.entries import Action
from magnumlite.notifications import events


class Rotate(Change):
    """Have the driver rotate the credential (specification, credential_rotate).

    No status changes: the driver's return is the end.
    """

    action = Action.ROTATE_CREDENTIAL
    allowed = states.RESIZABLE
    naming = "Rotating the credential of a cluster"
    awaited = False
    exclusive = True

    def call(self, op: Operation) -> None:
        """Call rotate_credential.

        Raises:
            NotSupported: the driver does not have it.
        """
        try:
            op.driver.rotate_credential(op.context, op.cluster)
        except NotImplementedError as error:
            raise exception.NotSupported(
                operation="Credential rotation by the driver of this cluster"
            ) from error

    def after(self, op: Operation) -> None:
        """Save what the driver set."""
        op.cluster.save()

    def fail(self, op: Operation, reason: str) -> None:
        """Leave the status: the cluster itself has not changed."""

    def result(self, op: Operation) -> None:
        """Return nothing."""

    def notify(self, op: Operation, outcome: str) -> bool:
        """Send the credential's event."""
        return events.credential(op.context, outcome, op.cluster)
