"""Rotation of the credential with which a cluster uses the cloud."""

from __future__ import annotations

from typing import Any

from magnumlite.conductor.changes.rotate_credential import Rotate
from magnumlite.conductor.intake import Intake


class CredentialHandler:
    """The credential endpoint."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def credential_rotate(self, context: Any, cluster: Any) -> Any:
        """Rotate a cluster's credential; answers when the driver has done it, or in time.

        Raises:
            NotSupported: the cluster's state does not allow it, or the driver cannot.
            OperationInProgress: another upgrade or rotation of the cluster is under way.
        """
        return self._intake.submit(
            context, Rotate(cluster.uuid), "credential_rotate", cluster=cluster
        )
