"""Certificates of a cluster: sign a request, show a CA, rotate all."""

from __future__ import annotations

from typing import Any

from magnumlite import objects
from magnumlite.certs import authority, client_files
from magnumlite.conductor.intake import Intake
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

    def call(self, op: Operation) -> None:
        """Show the driver the cluster with the new set."""
        self._new.apply(op.cluster)
        op.driver.rotate_ca_certificate(op.context, op.cluster)

    def after(self, op: Operation) -> None:
        """Record the new set, then remove the old one and the files made from it."""
        self._new.apply(op.cluster)
        super().after(op)
        authority.delete(self._old, op.cluster, op.context)
        client_files.delete(op.cluster)

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
        self.discard(op)

    def discard(self, op: Operation) -> None:
        """Remove the new set: nobody will use it."""
        authority.delete(self._new, op.cluster, op.context)


class CaHandler:
    """The CA endpoint."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def sign_certificate(self, context: Any, cluster: Any, certificate: Any) -> Any:
        """Return `certificate` with the PEM that the selected CA has signed.

        Raises:
            InvalidCsr: the request is not one, or does not prove its key.
            CertificateValidationError: it asks for what is not allowed.
            InvalidParameterValue: there is no CA of that type.
        """
        kind = certificate.ca_cert_type if certificate.obj_attr_is_set("ca_cert_type") else None
        csr = certificate.csr if certificate.obj_attr_is_set("csr") else None
        certificate.pem = authority.sign(cluster, csr, kind, context).decode()
        return certificate

    def get_ca_certificate(
        self, context: Any, cluster: Any, ca_cert_type: str | None = None
    ) -> Any:
        """Return a Certificate with the PEM of one of the cluster's CAs.

        Raises:
            InvalidParameterValue: there is no CA of that type.
        """
        cert = authority.ca_certificate(cluster, context, ca_cert_type)
        certificate = objects.Certificate.from_object_cluster(cluster)
        pem = cert.get_certificate()
        certificate.pem = pem.decode() if isinstance(pem, bytes) else pem
        return certificate

    def rotate_ca_certificate(self, context: Any, cluster: Any) -> Any:
        """Rotate a cluster's certificates; answers when the driver has accepted, or in time.

        Raises:
            NotSupported: the cluster's state does not allow it, or the driver cannot.
            OperationInProgress: another upgrade or rotation of the cluster is under way.
        """
        return self._intake.submit(
            context, Rotate(cluster), "rotate_ca_certificate", cluster=cluster
        )
