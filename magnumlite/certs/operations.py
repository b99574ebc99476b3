"""Functions on PEM texts under the names drivers import.

Stands for ``magnum.common.x509.operations``; signatures of contract/certs.md.
"""

from __future__ import annotations

from cryptography import x509 as crypto_x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from magnumlite.certs import csr as csr_policy
from magnumlite.certs import x509


def decrypt_key(encrypted_key: str | bytes, password: str | bytes | None) -> bytes:
    """Return a PEM private key as unencrypted PKCS8 PEM with a final newline.

    Raises:
        ValueError: no key, or a wrong password.
        TypeError: the key is encrypted and no password is given.
    """
    return x509.key_pem(x509.load_key(encrypted_key, password)) + b"\n"


def generate_ca_certificate(
    subject_name: str, encryption_password: str | bytes | None = None
) -> dict[str, bytes]:
    """Make a self-signed CA: {"certificate", "private_key"} in PEM."""
    (key,) = x509.generate_keys(1)
    certificate = x509.ca_certificate(x509.common_name(subject_name), key)
    return {
        "certificate": x509.certificate_pem(certificate),
        "private_key": x509.key_pem(key, encryption_password),
    }


def generate_client_certificate(
    issuer_name: str,
    subject_name: str,
    organization_name: str,
    ca_key: str | bytes,
    encryption_password: str | bytes | None = None,
    ca_key_password: str | bytes | None = None,
) -> dict[str, bytes]:
    """Make a client certificate: {"certificate", "private_key"} in PEM.

    The CA's end is not known here: the caller sees to it that the leaf does not
    outlive it.
    """
    (key,) = x509.generate_keys(1)
    issuer = _issuer(issuer_name, ca_key, ca_key_password)
    subject = x509.client_name(subject_name, organization_name)
    return {
        "certificate": x509.certificate_pem(x509.client_certificate(subject, key, issuer)),
        "private_key": x509.key_pem(key, encryption_password),
    }


def sign(
    csr: str | bytes | crypto_x509.CertificateSigningRequest,
    issuer_name: str,
    ca_key: str | bytes,
    ca_key_password: str | bytes | None = None,
    skip_validation: bool = False,
) -> bytes:
    """Sign a request and return the certificate in PEM.

    Raises:
        InvalidCsr, CertificateValidationError: see ``magnumlite.certs.csr``.
    """
    request = csr_policy.accept(csr, skip_validation=skip_validation)
    issuer = _issuer(issuer_name, ca_key, ca_key_password)
    return x509.certificate_pem(
        x509.sign(request.subject, request.public_key, request.extensions, issuer)
    )


def generate_csr_and_key(common_name: str) -> dict[str, str]:
    """Make an RSA key and a request for it: {"csr", "private_key", "public_key"} in PEM."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    builder = crypto_x509.CertificateSigningRequestBuilder()
    request = builder.subject_name(x509.common_name(common_name)).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    return {
        "csr": request.public_bytes(pem).decode("ascii"),
        "private_key": key.private_bytes(
            pem, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        ).decode("ascii"),
        "public_key": key.public_key()
        .public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode("ascii"),
    }


def _issuer(name: str, key: str | bytes, password: str | bytes | None) -> x509.Issuer:
    return x509.Issuer.named(name, x509.load_key(key, password))
