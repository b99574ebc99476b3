"""Certificates in the magnum database, table x509keypair; the reference is the row's uuid."""

from __future__ import annotations

from typing import Any

from oslo_db import exception as db_exc

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.certs.store import base


class Cert(base.StoredCert):
    """A certificate read from a row."""


class CertManager(base.CertManager):
    """Rows carry the cluster's project and user, whoever asks; reads see every project's.

    Who may use a cluster's certificates was decided when the cluster was read:
    an administrator must be able to rotate and delete what a project owns, and
    magnum stored some rows under the project of the administrator who rotated.
    """

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
        """Insert one row; ``project_id`` and ``user_id`` default to those of ``context``."""
        context = kwargs.get("context")
        row = objects.X509KeyPair(
            _admin(),
            certificate=base.text(certificate),
            private_key=base.text(private_key),
            intermediates=None if intermediates is None else base.text(intermediates),
            private_key_passphrase=(
                None if private_key_passphrase is None else base.text(private_key_passphrase)
            ),
            project_id=kwargs.get("project_id") or getattr(context, "project_id", None),
            user_id=kwargs.get("user_id") or getattr(context, "user_id", None),
        )
        try:
            row.create()
        except db_exc.DBError as error:
            raise _failed("store", error) from None
        return str(row.uuid)

    @staticmethod
    def get_cert(cert_uuid: str, check_only: bool = False, **kwargs: Any) -> base.Cert:
        """Read one row.

        Raises:
            X509KeyPairNotFound: there is no such row.
            CertificateStorageException: the database failed, or the row has no certificate.
        """
        row = _get(cert_uuid)
        if row.certificate is None or row.private_key is None:
            raise base.failure(f"x509keypair {cert_uuid} is not whole")
        return Cert(row.certificate, row.private_key, row.intermediates, row.private_key_passphrase)

    @staticmethod
    def delete_cert(cert_uuid: str, **kwargs: Any) -> None:
        """Delete one row."""
        try:
            _get(cert_uuid).destroy()
        except exception.X509KeyPairNotFound:
            return
        except db_exc.DBError as error:
            raise _failed("delete", error) from None


def _admin() -> request_context.RequestContext:
    return request_context.make_admin_context(all_tenants=True)


def _get(cert_uuid: str) -> objects.X509KeyPair:
    try:
        return objects.X509KeyPair.get_by_uuid(_admin(), cert_uuid)
    except db_exc.DBError as error:
        raise _failed("read", error) from None


def _failed(doing: str, error: Exception) -> exception.CertificateStorageException:
    # The error's text holds the key and its passphrase: statement parameters.
    return base.failure(f"cannot {doing} an x509keypair: {base.brief(error)}")
