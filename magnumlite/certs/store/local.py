"""Certificates in files of one directory, [certificates]storage_path; for a single host.

Files ``<reference>.crt .key .int .pass`` as magnum has them (contract/certs.md),
with two differences: bytes can be stored, and nobody else can read them.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import uuid
from pathlib import Path
from typing import Any

from magnumlite import exception
from magnumlite.certs.store import base
from magnumlite.conf import CONF


class Cert(base.StoredCert):
    """A certificate read from files."""


class CertManager(base.CertManager):
    """Files are 0600 in a 0700 directory, written whole or not at all."""

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
        """Write two to four files and return the random uuid they are named by."""
        reference = str(uuid.uuid4())
        parts = {
            ".key": private_key,
            ".int": intermediates,
            ".pass": private_key_passphrase,
            # The last one: it is what makes the others a certificate.
            ".crt": certificate,
        }
        try:
            directory = Path(CONF.certificates.storage_path)
            directory.mkdir(mode=0o700, parents=True, exist_ok=True)
            with contextlib.suppress(PermissionError):  # somebody else's, made for us
                directory.chmod(0o700)
            for suffix, content in parts.items():
                if content is not None:
                    _write(directory / (reference + suffix), content)
        except OSError as error:
            with contextlib.suppress(OSError):
                _remove(reference)
            raise _failed("store", error) from error
        return reference

    @staticmethod
    def get_cert(cert_uuid: str, check_only: bool = False, **kwargs: Any) -> base.Cert:
        """Read the files of one certificate."""
        try:
            certificate, key = _read(cert_uuid, ".crt"), _read(cert_uuid, ".key")
            intermediates, passphrase = _read(cert_uuid, ".int"), _read(cert_uuid, ".pass")
        except OSError as error:
            raise _failed("read", error) from error
        if certificate is None or key is None:
            raise base.failure(
                f"there is no certificate {cert_uuid} in {CONF.certificates.storage_path}"
            )
        return Cert(certificate, key, intermediates, passphrase)

    @staticmethod
    def delete_cert(cert_uuid: str, **kwargs: Any) -> None:
        """Remove the files of one certificate."""
        try:
            _remove(cert_uuid)
        except OSError as error:
            raise _failed("delete", error) from error


def _path(reference: str, suffix: str) -> Path:
    if not reference or os.path.basename(reference) != reference:
        raise base.failure(f"{reference!r} is no reference to a file")
    return Path(CONF.certificates.storage_path, reference + suffix)


def _read(reference: str, suffix: str) -> str | None:
    try:
        return _path(reference, suffix).read_text(encoding="latin-1")
    except FileNotFoundError:
        return None


def _write(path: Path, content: str | bytes) -> None:
    handle, name = tempfile.mkstemp(prefix=".", dir=path.parent)  # 0600 by itself
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(base.text(content).encode("latin-1"))
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _remove(reference: str) -> None:
    for suffix in (".crt", ".key", ".int", ".pass"):
        _path(reference, suffix).unlink(missing_ok=True)


def _failed(doing: str, error: OSError) -> exception.CertificateStorageException:
    return base.failure(f"cannot {doing} certificate files: {error}")
