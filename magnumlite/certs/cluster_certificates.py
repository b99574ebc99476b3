"""A cluster's certificates under the names drivers import.

Stands for ``magnum.conductor.handlers.common.cert_manager``; the signatures are
those of contract/conductor_utils.md. The work is done in ``authority`` and
``client_files``.
"""

from __future__ import annotations

from typing import IO, Any

from magnumlite.certs import authority, client_files
from magnumlite.certs.store.base import Cert

CONDUCTOR_CLIENT_NAME = authority.CLIENT_NAME


def generate_certificates_to_cluster(cluster: Any, context: Any = None) -> None:
    """Make the four certificates and set their references, without saving the cluster.

    Raises:
        CertificatesToClusterFailed: its text has the cause; nothing is stored or set.
    """
    authority.generate(cluster, context).apply(cluster)


def get_cluster_ca_certificate(
    cluster: Any, context: Any = None, ca_cert_type: str | None = None
) -> Cert:
    """Return one of a cluster's CAs, see ``authority.ca_certificate``."""
    return authority.ca_certificate(cluster, context, ca_cert_type)


def get_cluster_magnum_cert(cluster: Any, context: Any = None) -> Cert:
    """Return the certificate with which the conductor calls the cluster's API."""
    return authority.client_certificate(cluster, context)


def sign_node_certificate(
    cluster: Any, csr: object, ca_cert_type: str | None = None, context: Any = None
) -> bytes:
    """Sign a certificate request, see ``authority.sign``."""
    return authority.sign(cluster, csr, ca_cert_type, context)


def delete_certificates_from_cluster(cluster: Any, context: Any = None) -> None:
    """Delete the four certificates of a cluster, each as well as it goes."""
    authority.delete(authority.References.of(cluster), cluster, context)


def create_client_files(cluster: Any, context: Any = None) -> tuple[IO[str], IO[str], IO[str]]:
    """Return open files: CA certificate, client key in clear, client certificate."""
    return client_files.create(cluster, context)


def delete_client_files(cluster: Any, context: Any = None) -> None:
    """Remove the kept client files of a cluster."""
    client_files.delete(cluster.uuid)
