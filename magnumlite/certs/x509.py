"""Keys and certificates: how magnumlite makes and signs them.

The shape of the certificates is recorded in contract/certs.md. Differences:
dates are UTC, leaves carry an authority key identifier and never outlive their
CA (known defects B45, B46).
"""

from __future__ import annotations

import datetime
import os
import sys
import threading
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.types import (
    CertificateIssuerPrivateKeyTypes,
    CertificatePublicKeyTypes,
    PrivateKeyTypes,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from magnumlite.conf import CONF

# A cluster has four keys, and each takes a core: more threads would only wait for one.
KEY_THREADS = min(4, os.cpu_count() or 1)
#: Niceness of those threads: keys take a while, requests are waited for.
_KEY_NICENESS = 5

_BACKDATE = datetime.timedelta(days=1)
_KEY_USAGES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)

_pool_lock = threading.Lock()
_pool: tuple[int, ThreadPoolExecutor] | None = None


@dataclass(frozen=True)
class Issuer:
    """Who signs: a CA's subject and key, and the span its certificate is valid in."""

    name: x509.Name
    key: CertificateIssuerPrivateKeyTypes
    not_before: datetime.datetime | None = None
    not_after: datetime.datetime | None = None

    @classmethod
    def of(cls, certificate: x509.Certificate, key: PrivateKeyTypes) -> Issuer:
        """Make the issuer of a CA's certificate and its private key."""
        return cls(
            certificate.subject,
            _signing(key),
            certificate.not_valid_before_utc,
            certificate.not_valid_after_utc,
        )

    @classmethod
    def named(cls, name: str, key: PrivateKeyTypes) -> Issuer:
        """Make the issuer of a CA of which only its common name and key are at hand."""
        return cls(common_name(name), _signing(key))

    @property
    def expired(self) -> bool:
        """True when the CA's certificate has ended."""
        return self.not_after is not None and self.not_after <= _now()


def generate_keys(count: int) -> list[rsa.RSAPrivateKey]:
    """Generate RSA keys of [x509]rsa_key_size bits side by side.

    One pool of KEY_THREADS threads serves the whole process, whatever the
    number of clusters being created.
    """
    size = CONF.x509.rsa_key_size
    pool = _key_pool()
    return [job.result() for job in [pool.submit(_generate, size) for _ in range(count)]]


def _generate(size: int) -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(public_exponent=65537, key_size=size)


def _key_pool() -> ThreadPoolExecutor:
    global _pool
    with _pool_lock:
        # Threads do not survive a fork: a child makes its own.
        if _pool is None or _pool[0] != os.getpid():
            _pool = (os.getpid(), ThreadPoolExecutor(KEY_THREADS, "rsa-key", _give_way))
        return _pool[1]


def _give_way() -> None:
    """Make this thread nice; Linux alone has niceness by thread."""
    if sys.platform == "linux":
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _KEY_NICENESS)


def common_name(name: str) -> x509.Name:
    """Return the X.501 name that holds only this common name."""
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def client_name(name: str, organization: str) -> x509.Name:
    """Return the X.501 name of a client: Kubernetes takes CN as user, O as group."""
    return x509.Name(
        [
            x509.NameAttribute(NameOID.COMMON_NAME, name),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization),
        ]
    )


def ca_certificate(subject: x509.Name, key: rsa.RSAPrivateKey) -> x509.Certificate:
    """Make a self-signed CA certificate that may sign leaves only."""
    extensions = [
        x509.Extension(
            x509.BasicConstraints.oid, True, x509.BasicConstraints(ca=True, path_length=0)
        ),
        x509.Extension(x509.KeyUsage.oid, True, key_usage("key_cert_sign")),
    ]
    return _sign(subject, key.public_key(), extensions, Issuer(subject, key), leaf=False)


def client_certificate(
    subject: x509.Name, key: rsa.RSAPrivateKey, issuer: Issuer
) -> x509.Certificate:
    """Make a certificate for TLS client authentication."""
    extensions: list[x509.Extension[x509.ExtensionType]] = [
        x509.Extension(x509.KeyUsage.oid, True, key_usage("digital_signature", "key_encipherment")),
        x509.Extension(
            x509.ExtendedKeyUsage.oid,
            False,
            x509.ExtendedKeyUsage([ExtendedKeyUsageOID.CLIENT_AUTH]),
        ),
        x509.Extension(
            x509.BasicConstraints.oid, True, x509.BasicConstraints(ca=False, path_length=None)
        ),
    ]
    return sign(subject, key.public_key(), extensions, issuer)


def sign(
    subject: x509.Name,
    public_key: CertificatePublicKeyTypes,
    extensions: Iterable[x509.Extension[x509.ExtensionType]],
    issuer: Issuer,
) -> x509.Certificate:
    """Sign a leaf certificate.

    Pre: ``issuer`` has not expired; ``extensions`` holds no key identifiers.
    Post: valid from a day ago (clocks differ) for [x509]term_of_validity days,
    but only within the span of the issuer; carries the subject's and the
    issuer's key identifiers.
    """
    return _sign(subject, public_key, extensions, issuer, leaf=True)


def _sign(
    subject: x509.Name,
    public_key: CertificatePublicKeyTypes,
    extensions: Iterable[x509.Extension[x509.ExtensionType]],
    issuer: Issuer,
    *,
    leaf: bool,
) -> x509.Certificate:
    now = _now()
    not_before = now - _BACKDATE
    not_after = now + datetime.timedelta(days=CONF.x509.term_of_validity)
    if issuer.not_before is not None:
        not_before = max(not_before, issuer.not_before)
    if issuer.not_after is not None:
        not_after = min(not_after, issuer.not_after)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer.name)
        .public_key(public_key)
        .serial_number(uuid.uuid4().int)
        .not_valid_before(not_before)
        .not_valid_after(not_after)
    )
    for extension in extensions:
        builder = builder.add_extension(extension.value, extension.critical)
    builder = builder.add_extension(x509.SubjectKeyIdentifier.from_public_key(public_key), False)
    if leaf:
        identifier = x509.AuthorityKeyIdentifier.from_issuer_public_key(issuer.key.public_key())
        builder = builder.add_extension(identifier, False)
    return builder.sign(issuer.key, hashes.SHA256())


def key_usage(*usages: str) -> x509.KeyUsage:
    """Return the key usage extension with these bits set, named as cryptography names them."""
    return x509.KeyUsage(**{usage: usage in usages for usage in _KEY_USAGES})


def certificate_pem(certificate: x509.Certificate) -> bytes:
    """Return PEM without a final newline, as magnum stores it."""
    return certificate.public_bytes(serialization.Encoding.PEM).strip()


def key_pem(key: PrivateKeyTypes, passphrase: str | bytes | None = None) -> bytes:
    """Return PKCS8 PEM, encrypted when a passphrase is given."""
    secret = encoded(passphrase)
    return key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(secret) if secret else serialization.NoEncryption(),
    ).strip()


def load_key(pem: str | bytes, passphrase: str | bytes | None = None) -> PrivateKeyTypes:
    """Load a PEM private key.

    Raises:
        ValueError: no key, or a wrong passphrase.
        TypeError: an encrypted key without a passphrase, or the reverse.
    """
    return serialization.load_pem_private_key(encoded(pem) or b"", encoded(passphrase))


def load_issuer(
    certificate: str | bytes, key: str | bytes, passphrase: str | bytes | None
) -> Issuer:
    """Load a CA from its PEM certificate and private key.

    Raises:
        ValueError, TypeError: damaged PEM, a wrong passphrase, a key that cannot sign.
    """
    loaded = x509.load_pem_x509_certificate(encoded(certificate) or b"")
    return Issuer.of(loaded, load_key(key, passphrase))


def encoded(value: str | bytes | None) -> bytes | None:
    """Return text as bytes the way magnum does: latin-1; the empty text is None."""
    if isinstance(value, str):
        value = value.encode("latin-1")
    return value or None


def _signing(key: PrivateKeyTypes) -> CertificateIssuerPrivateKeyTypes:
    if not hasattr(key, "sign"):
        raise TypeError(f"a {type(key).__name__} cannot sign certificates")
    return key  # type: ignore[return-value]


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
