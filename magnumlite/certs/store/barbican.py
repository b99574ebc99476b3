"""Certificates in Barbican, in containers magnum reads too; the reference is the container's URL.

One certificate is a container of type "certificate" that names two to four
secrets of plain text (contract/certs.md). Differences (known defects B48, B49):
payloads are text and an expiration that is not given is not sent; whatever
fails while storing takes back what was stored; deletion goes on past what
cannot be deleted, and what is gone already is no error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from keystoneauth1 import exceptions as ksa_exc
from openstack import exceptions as sdk_exc
from oslo_log import log

from magnumlite import context as request_context
from magnumlite import exception
from magnumlite.certs.store import base

LOG = log.getLogger(__name__)

_ERRORS = (sdk_exc.SDKException, ksa_exc.ClientException)


class Cert(base.Cert):
    """A certificate whose parts are read when they are asked for, and then kept."""

    def __init__(self, cert_container: Any, connection: Any) -> None:
        if getattr(cert_container, "type", None) != "certificate":
            raise TypeError("not a container of type certificate")
        self._references = _references(cert_container)
        self._connection = connection
        self._payloads: dict[str, str] = {}

    def get_certificate(self) -> str:
        """Return the certificate."""
        return self._required("certificate")

    def get_intermediates(self) -> str | None:
        """Return the certificates between this one and its root, if any were stored."""
        return self._payload("intermediates")

    def get_private_key(self) -> str:
        """Return the private key as it was stored."""
        return self._required("private_key")

    def get_private_key_passphrase(self) -> str | None:
        """Return the passphrase of the private key, None for a key in clear."""
        return self._payload("private_key_passphrase")

    def _required(self, name: str) -> str:
        payload = self._payload(name)
        if payload is None:
            raise base.failure(f"a container has no {name}")
        return payload

    def _payload(self, name: str) -> str | None:
        if name not in self._references:
            return None
        if name not in self._payloads:
            reference = self._references[name]
            with _errors_told("read", reference):
                self._payloads[name] = _read_payload(self._connection, reference)
        return self._payloads[name]


class CertManager(base.CertManager):
    """Everything is stored and read as the service user of [keystone_auth]."""

    @staticmethod
    def store_cert(
        certificate: str | bytes,
        private_key: str | bytes,
        intermediates: str | bytes | None = None,
        private_key_passphrase: str | bytes | None = None,
        expiration: str | None = None,
        name: str = "Magnum TLS Cert",
        **kwargs: Any,
    ) -> str:
        """Create the secrets and their container; return the container's URL."""
        parts = {
            "certificate": ("Certificate", certificate),
            "private_key": ("Private Key", private_key),
            "intermediates": ("Intermediates", intermediates),
            "private_key_passphrase": ("Private Key Passphrase", private_key_passphrase),
        }
        optional = {} if expiration is None else {"expiration": expiration}
        stored: list[dict[str, str]] = []
        with _errors_told("store", name):
            barbican = _client()
            try:
                for part, (label, payload) in parts.items():
                    if payload is not None:
                        secret = barbican.create_secret(
                            name=label,
                            payload=base.text(payload),
                            payload_content_type="text/plain",
                            **optional,
                        )
                        stored.append({"name": part, "secret_ref": secret.secret_ref})
                container = barbican.create_container(
                    name=name, type="certificate", secret_refs=stored
                )
            except BaseException:
                for secret_ref in stored:
                    _try_delete(barbican.delete_secret, secret_ref["secret_ref"])
                raise
        return str(container.container_ref)

    @staticmethod
    def get_cert(cert_uuid: str, check_only: bool = False, **kwargs: Any) -> base.Cert:
        """Read a container; its secrets are read later."""
        with _errors_told("read", cert_uuid):
            barbican = _client()
            container = barbican.get_container(_last_segment(cert_uuid))
        try:
            return Cert(container, barbican)
        except TypeError as error:
            raise base.failure(f"{cert_uuid} is {error}") from None

    @staticmethod
    def delete_cert(cert_uuid: str, **kwargs: Any) -> None:
        """Delete the secrets a container names, then the container."""
        try:
            with _errors_told("read", cert_uuid):
                barbican = _client()
                container = barbican.get_container(_last_segment(cert_uuid))
        except exception.ResourceNotFound:
            return
        left = [
            reference
            for reference in _references(container).values()
            if not _try_delete(barbican.delete_secret, reference)
        ]
        if not _try_delete(barbican.delete_container, cert_uuid):
            left.append(cert_uuid)
        if left:
            raise base.failure(f"still in Barbican: {', '.join(left)}")


def _client() -> Any:
    # Imported here: that room is beside this one. It keeps what it made per identity.
    from magnumlite.openstack.clients import OpenStackClients

    return OpenStackClients(request_context.make_admin_context()).barbican()


def _read_payload(barbican: Any, reference: str) -> str:
    # Not get_secret(): that takes the body of an error for the payload.
    response = barbican.get(
        f"/secrets/{_last_segment(reference)}/payload", headers={"Accept": "text/plain"}
    )
    sdk_exc.raise_from_response(response)
    return base.text(response.content)


def _references(container: Any) -> dict[str, str]:
    return {entry["name"]: entry["secret_ref"] for entry in container.secret_refs or ()}


def _last_segment(reference: str) -> str:
    return reference.rstrip("/").rpartition("/")[2]


def _try_delete(delete: Any, reference: str) -> bool:
    try:
        delete(_last_segment(reference), ignore_missing=True)
    except _ERRORS as error:
        LOG.warning("Barbican did not delete %s: %s", reference, _told(error))
        return False
    return True


@contextmanager
def _errors_told(doing: str, what: str) -> Iterator[None]:
    """Turn the errors of the SDK into the ones a store raises."""
    try:
        yield
    except sdk_exc.NotFoundException:
        raise exception.ResourceNotFound(name="certificate", id=what) from None
    except (*_ERRORS, exception.AuthorizationFailure) as error:
        # Not the caller's credentials: a 403 would be misread.
        raise base.failure(f"cannot {doing} {what} in Barbican: {_told(error)}") from error


def _told(error: Exception) -> str:
    # The SDK's text of any error while reading begins with "No ... found".
    status = getattr(error, "status_code", None)
    if status is None:
        return base.brief(error)
    return f"HTTP {status} {str(getattr(error, 'details', None) or '')[:300]}".rstrip()
