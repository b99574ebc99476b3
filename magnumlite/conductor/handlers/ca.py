"""Certificates of a cluster: sign a request, show a CA, rotate all."""

from __future__ import annotations

from typing import Any

from magnumlite import objects
from magnumlite.certs import authority
from magnumlite.conductor.changes.rotate_ca import Rotate
from magnumlite.conductor.intake import Intake


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
