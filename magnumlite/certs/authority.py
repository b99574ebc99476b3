"""The certificates of a cluster: make four, read, sign with them, delete.

A cluster has three CAs (Kubernetes, etcd, front proxy) and one client
certificate, signed by the Kubernetes CA, with which the conductor calls the
cluster's API (contract/certs.md). They are kept in a store and named by
references on the cluster.

To rotate: ``new = generate(cluster, context)``, let the driver work with
``new.apply(cluster)``, then ``delete(old, ...)`` when the driver accepted or
``old.apply(cluster)`` and ``delete(new, ...)`` when it did not (known defects
B01, B20).
"""

from __future__ import annotations

import hashlib
import secrets
import threading
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass, fields
from typing import Any

import cachetools
from oslo_log import log

from magnumlite import exception
from magnumlite.certs import csr as csr_policy
from magnumlite.certs import store, x509
from magnumlite.certs.store.base import Cert, brief, failure

LOG = log.getLogger(__name__)

CLIENT_NAME = "Magnum-Conductor"
CLIENT_SUBJECT = ("admin", "system:masters")

# X.520 allows a common name this many characters; cryptography counts UTF-8 bytes.
_NAME_MAX = 64
_CACHED_MAX = 4096

# What stands under a reference never changes, so it may be kept as long as there is room.
_cached: cachetools.LRUCache[str, Cert] = cachetools.LRUCache(_CACHED_MAX)
_cached_lock = threading.Lock()

_CA_FIELDS = {
    None: "ca_cert_ref",
    "kubernetes": "ca_cert_ref",
    "etcd": "etcd_ca_cert_ref",
    "front_proxy": "front_proxy_ca_cert_ref",
    "front-proxy": "front_proxy_ca_cert_ref",
}


@dataclass(frozen=True)
class References:
    """Where the four certificates of a cluster are stored; named as on the cluster."""

    ca_cert_ref: str | None = None
    magnum_cert_ref: str | None = None
    etcd_ca_cert_ref: str | None = None
    front_proxy_ca_cert_ref: str | None = None

    @classmethod
    def of(cls, cluster: Any) -> References:
        """Return the references a cluster holds now."""
        return cls(*(getattr(cluster, field.name) for field in fields(cls)))

    def apply(self, cluster: Any) -> None:
        """Set the references on a cluster, without saving it."""
        for field in fields(self):
            setattr(cluster, field.name, getattr(self, field.name))

    def __iter__(self) -> Iterator[str]:
        """Go through the references that are set."""
        return (reference for reference in astuple(self) if reference)


def generate(cluster: Any, context: Any) -> References:
    """Make and store the four certificates of a cluster.

    Post: all four are stored, or none; the cluster is not touched.

    Raises:
        CertificatesToClusterFailed: its text has the cause.
    """
    stored: dict[str, str] = {}
    try:
        for field, kept in _make(cluster).items():
            stored[field] = store.get_backend().CertManager.store_cert(
                context=context,
                project_id=cluster.project_id,
                user_id=cluster.user_id,
                **kept,
            )
        return References(**stored)
    except Exception as error:
        cause = brief(error)
    # Past the except clause: a store's error may hold the keys in its text, and would be
    # shown with this one's traceback and summed up in the log.
    LOG.error("Certificates of cluster %s could not be made: %s", cluster.uuid, cause)
    delete(References(**stored), cluster, context)
    raise exception.CertificatesToClusterFailed(
        "Failed to create certificates for cluster: %(cluster_uuid)s: %(cause)s",
        cluster_uuid=cluster.uuid,
        cause=cause,
    )


def _make(cluster: Any) -> dict[str, dict[str, Any]]:
    """Return what to store for each reference, in the order magnum stores them."""
    name = issuer_name(cluster)
    subject = x509.common_name(name)
    ca_key, etcd_key, proxy_key, client_key = x509.generate_keys(4)
    ca = x509.ca_certificate(subject, ca_key)
    client = x509.client_certificate(
        x509.client_name(*CLIENT_SUBJECT), client_key, x509.Issuer.of(ca, ca_key)
    )
    made = {
        "ca_cert_ref": (name, ca, ca_key),
        "etcd_ca_cert_ref": (name, x509.ca_certificate(subject, etcd_key), etcd_key),
        "front_proxy_ca_cert_ref": (name, x509.ca_certificate(subject, proxy_key), proxy_key),
        "magnum_cert_ref": (CLIENT_NAME, client, client_key),
    }
    kept: dict[str, dict[str, Any]] = {}
    for field, (label, certificate, key) in made.items():
        passphrase = secrets.token_urlsafe(18)
        kept[field] = {
            "name": label,
            "certificate": x509.certificate_pem(certificate),
            "private_key": x509.key_pem(key, passphrase),
            "private_key_passphrase": passphrase,
        }
    return kept


def issuer_name(cluster: Any) -> str:
    """Return the common name of a cluster's CAs.

    The cluster's name; its uuid when it has none; a name that does not fit a
    certificate is cut and ends in a digest of the whole, the same every time.
    """
    name = cluster.name
    if not name:
        return str(cluster.uuid)
    if name.isprintable() and len(name.encode("utf-8", "replace")) <= _NAME_MAX:
        return str(name)
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    plain = "".join(c if c.isascii() and c.isprintable() else "-" for c in name)
    return f"{plain[: _NAME_MAX - 13]}-{digest}"


def ca_certificate(cluster: Any, context: Any, ca_cert_type: str | None = None) -> Cert:
    """Return one of a cluster's CAs: kubernetes (or None), etcd, front_proxy (or front-proxy).

    A cluster older than the separate CAs has one CA for everything: for those,
    etcd and front proxy mean the Kubernetes CA (known defect B44).

    Raises:
        InvalidParameterValue: there is no such type of CA.
        ResourceNotFound: the cluster has no certificates, or they are gone from the store.
        CertificateStorageException: the store failed.
    """
    try:
        field = _CA_FIELDS[ca_cert_type]
    except (KeyError, TypeError):
        raise exception.InvalidParameterValue(
            err=f"{str(ca_cert_type)[:64]!r} is no type of CA certificate; "
            "it is one of kubernetes, etcd, front-proxy"
        ) from None
    return _read(getattr(cluster, field) or cluster.ca_cert_ref, cluster, context)


def client_certificate(cluster: Any, context: Any) -> Cert:
    """Return the certificate the conductor shows to the cluster's API.

    Raises:
        ResourceNotFound: the cluster has none, or it is gone from the store.
        CertificateStorageException: the store failed.
    """
    return _read(cluster.magnum_cert_ref, cluster, context)


def sign(cluster: Any, csr: object, ca_cert_type: str | None, context: Any) -> bytes:
    """Sign a certificate request with one of the cluster's CAs; nothing is stored.

    Post: PEM without a final newline.

    Raises:
        InvalidCsr, CertificateValidationError: see ``magnumlite.certs.csr``.
        Conflict: the CA has expired.
        InvalidParameterValue, ResourceNotFound, CertificateStorageException:
            see ``ca_certificate``.
    """
    request = csr_policy.accept(csr)
    ca = ca_certificate(cluster, context, ca_cert_type)
    try:
        issuer = x509.load_issuer(
            ca.get_certificate(), ca.get_private_key(), ca.get_private_key_passphrase()
        )
    except (ValueError, TypeError) as error:
        raise failure(f"the CA of cluster {cluster.uuid} cannot be used: {brief(error)}") from None
    if issuer.expired:
        raise exception.Conflict(
            f"The CA of cluster {cluster.uuid} expired on {issuer.not_after:%Y-%m-%d}; "
            "rotate it before anything is signed"
        )
    return x509.certificate_pem(
        x509.sign(request.subject, request.public_key, request.extensions, issuer)
    )


def delete(references: Iterable[str], cluster: Any, context: Any) -> None:
    """Delete certificates from the store, each as well as it goes; never raises."""
    for reference in references:
        with _cached_lock:
            _cached.pop(reference, None)
        try:
            store.get_backend().CertManager.delete_cert(
                reference, resource_ref=cluster.uuid, context=context
            )
        except Exception as error:
            LOG.warning(
                "Certificate %s of cluster %s could not be deleted: %s",
                reference,
                cluster.uuid,
                brief(error),
            )


def _read(reference: str | None, cluster: Any, context: Any) -> Cert:
    if not reference:
        raise exception.ResourceNotFound(
            f"Cluster {cluster.uuid} has no such certificate", name="certificate", id="None"
        )
    with _cached_lock:
        found = _cached.get(reference)
    if found is None:
        found = store.get_backend().CertManager.get_cert(
            reference, resource_ref=cluster.uuid, context=context
        )
        with _cached_lock:
            _cached[reference] = found
    return found
