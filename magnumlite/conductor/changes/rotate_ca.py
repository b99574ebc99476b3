"""Give a cluster new certificates."""

from __future__ import annotations

from typing import Any

from magnumlite import objects
from magnumlite.certs import authority, client_files
from magnumlite.conductor.changes import certificates
from magnumlite.conductor.operation import Change, Operation
from magnumlite.journal.entries import Action


class Rotate(Change):
    """Give a cluster new certificates (specification, rotate_ca_certificate).

    The new set is only made known when the driver has accepted it; then the old one is removed.
    Refused or failed, nothing of the cluster changes and the new set is removed (known defects
    B01, B20).
    """

    action = Action.ROTATE_CA
    retriable = True
    exclusive = True

    def __init__(self, cluster: Any) -> None:
        super().__init__(cluster.uuid)
        self._old = authority.References()
        self._new = authority.References()

    def before(self, op: Operation) -> None:
        """Make and store the new set."""
        self._old = authority.References.of(op.cluster)
        self._new = authority.generate(op.cluster, op.context)
        certificates.note(op.id, [*self._old, *self._new])

    def call(self, op: Operation) -> None:
        """Show the driver the cluster with the new set."""
        self._new.apply(op.cluster)
        op.driver.rotate_ca_certificate(op.context, op.cluster)

    def after(self, op: Operation) -> None:
        """Record the new set, then remove the old one and the files made from it."""
        self._new.apply(op.cluster)
        super().after(op)
        authority.delete(self._old, op.cluster, op.context)
        client_files.delete(op.cluster.uuid)

    def undo(self, op: Operation) -> None:
        """Put the old set back, also where the driver has saved the new one."""
        if not any(self._new):
            return
        found = objects.Cluster.get_by_uuid(op.context, self.cluster_uuid)
        if authority.References.of(found) == self._new:
            self._old.apply(found)
            found.save()
        self._old.apply(op.cluster)
        op.cluster.obj_reset_changes(
            ["ca_cert_ref", "magnum_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref"]
        )
        authority.delete(self._new, op.cluster, op.context)

    def overtaken(self, op: Operation) -> None:
        """Remove the new set if the cluster does not know it."""
        certificates.drop_unknown(self._new, self.cluster_uuid, op.context)
