"""What every certificate store offers: a stored certificate and the three calls on a store.

Stands for ``magnum.common.cert_manager.cert_manager``. The interface is the one
of out-of-tree stores (contract/certs.md), so theirs and ours are called alike:
static methods on a class named ``CertManager``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from magnumlite import exception
from magnumlite.certs import operations


class Cert(ABC):
    """A stored certificate with its private key; every value is PEM text."""

    @abstractmethod
    def get_certificate(self) -> str:
        """Return the certificate."""

    @abstractmethod
    def get_intermediates(self) -> str | None:
        """Return the certificates between this one and its root, if any were stored."""

    @abstractmethod
    def get_private_key(self) -> str:
        """Return the private key as it was stored: encrypted when there is a passphrase."""

    @abstractmethod
    def get_private_key_passphrase(self) -> str | None:
        """Return the passphrase of the private key, None for a key in clear."""

    def get_decrypted_private_key(self) -> bytes:
        """Return the private key as unencrypted PKCS8 PEM."""
        return operations.decrypt_key(self.get_private_key(), self.get_private_key_passphrase())


class CertManager(ABC):
    """A place that keeps certificates under references of its own choice."""

    @staticmethod
    @abstractmethod
    def store_cert(
        certificate: str | bytes,
        private_key: str | bytes,
        intermediates: str | bytes | None = None,
        private_key_passphrase: str | bytes | None = None,
        expiration: str | None = None,
        name: str = "Magnum TLS Cert",
        **kwargs: Any,
    ) -> str:
        """Store one certificate and return its reference.

        Either all of it is stored or nothing. ``kwargs`` holds ``context`` and,
        from the authority, ``project_id`` and ``user_id`` of the cluster.

        Raises:
            CertificateStorageException: the store refused or is out of reach.
        """

    @staticmethod
    @abstractmethod
    def get_cert(cert_uuid: str, check_only: bool = False, **kwargs: Any) -> Cert:
        """Return the certificate stored under a reference.

        ``kwargs`` holds ``context`` and ``resource_ref``, the uuid of the cluster.

        Raises:
            ResourceNotFound: nothing is stored under the reference.
            CertificateStorageException: the store is out of reach or its content is damaged.
        """

    @staticmethod
    @abstractmethod
    def delete_cert(cert_uuid: str, **kwargs: Any) -> None:
        """Delete everything stored under a reference; nothing stored is no error.

        Raises:
            CertificateStorageException: something is still stored.
        """


class StoredCert(Cert):
    """A certificate whose parts are all at hand."""

    def __init__(
        self,
        certificate: str,
        private_key: str,
        intermediates: str | None = None,
        private_key_passphrase: str | None = None,
    ) -> None:
        self._certificate = certificate
        self._private_key = private_key
        self._intermediates = intermediates
        self._passphrase = private_key_passphrase

    def get_certificate(self) -> str:
        """Return the certificate."""
        return self._certificate

    def get_intermediates(self) -> str | None:
        """Return the certificates between this one and its root, if any were stored."""
        return self._intermediates

    def get_private_key(self) -> str:
        """Return the private key as it was stored."""
        return self._private_key

    def get_private_key_passphrase(self) -> str | None:
        """Return the passphrase of the private key, None for a key in clear."""
        return self._passphrase


def text(value: str | bytes) -> str:
    """Return PEM or a passphrase as text; passphrases are latin-1 on disk and wire."""
    return value.decode("latin-1") if isinstance(value, bytes) else value


def failure(text: str) -> exception.CertificateStorageException:
    """Make the error of a store; the class's own text is about storing only."""
    return exception.CertificateStorageException("%(msg)s", msg=text)


def brief(error: BaseException) -> str:
    """Say an error in one short line without the values that went with it.

    Database errors carry their statement's parameters, keys and passphrases
    among them, from the second line on.
    """
    lines = str(error).splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
