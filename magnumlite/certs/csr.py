"""What a certificate signing request must be before a cluster's CA signs it.

contract/certs.md records magnum's policy and the [x509] options that steer it.
Differences (known defects B16, B17, B46, B47, B66): the request must prove
possession of its key, weak keys and empty subjects are refused, key
identifiers asked for are ignored (the signer sets them), and whatever is wrong
is InvalidCsr or CertificateValidationError with plain text.

The subject is copied as it is, O=system:masters too: who may have a
certificate signed is the API's policy.
"""

from __future__ import annotations

from dataclasses import dataclass

from cryptography import exceptions as crypto
from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import ec, ed448, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.types import CertificatePublicKeyTypes
from cryptography.x509.oid import ExtensionOID

from magnumlite import exception
from magnumlite.certs.x509 import key_usage
from magnumlite.conf import CONF

# A request with a 16384-bit key and hundreds of names is a fifth of this.
MAX_SIZE = 64 * 1024
MIN_RSA_BITS = 2048
MAX_RSA_BITS = 16384  # OpenSSL verifies no longer ones
MIN_EC_BITS = 256

# Names as the option [x509]allowed_extensions has them.
EXTENSIONS = {
    "authorityKeyIdentifier": ExtensionOID.AUTHORITY_KEY_IDENTIFIER,
    "subjectKeyIdentifier": ExtensionOID.SUBJECT_KEY_IDENTIFIER,
    "authorityInfoAccess": ExtensionOID.AUTHORITY_INFORMATION_ACCESS,
    "basicConstraints": ExtensionOID.BASIC_CONSTRAINTS,
    "cRLDistributionPoints": ExtensionOID.CRL_DISTRIBUTION_POINTS,
    "certificatePolicies": ExtensionOID.CERTIFICATE_POLICIES,
    "extendedKeyUsage": ExtensionOID.EXTENDED_KEY_USAGE,
    "OCSPNoCheck": ExtensionOID.OCSP_NO_CHECK,
    "inhibitAnyPolicy": ExtensionOID.INHIBIT_ANY_POLICY,
    "keyUsage": ExtensionOID.KEY_USAGE,
    "nameConstraints": ExtensionOID.NAME_CONSTRAINTS,
    "subjectAltName": ExtensionOID.SUBJECT_ALTERNATIVE_NAME,
    "issuerAltName": ExtensionOID.ISSUER_ALTERNATIVE_NAME,
}
_NAMES = {oid: name for name, oid in EXTENSIONS.items()}

# Names as the option [x509]allowed_key_usage has them.
KEY_USAGES = {
    "Digital Signature": "digital_signature",
    "Non Repudiation": "content_commitment",
    "Key Encipherment": "key_encipherment",
    "Data Encipherment": "data_encipherment",
    "Key Agreement": "key_agreement",
    "Certificate Sign": "key_cert_sign",
    "CRL Sign": "crl_sign",
    "Encipher Only": "encipher_only",
    "Decipher Only": "decipher_only",
}
_CA_USAGES = {"key_cert_sign", "crl_sign"}
_SET_BY_SIGNER = {ExtensionOID.SUBJECT_KEY_IDENTIFIER, ExtensionOID.AUTHORITY_KEY_IDENTIFIER}

Extension = x509.Extension[x509.ExtensionType]


@dataclass(frozen=True)
class Request:
    """What of an accepted request goes into the certificate."""

    subject: x509.Name
    public_key: CertificatePublicKeyTypes
    extensions: list[Extension]


def accept(csr: object, *, skip_validation: bool = False) -> Request:
    """Check a signing request, PEM as text or bytes, or already loaded.

    ``skip_validation`` keeps the extensions as they are; the key, its proof of
    possession and the subject are always checked.

    Raises:
        InvalidCsr: not a request, or one that must not be signed.
        CertificateValidationError: it asks for an extension that is not allowed.
    """
    # cryptography reads each part when it is asked for, so each may be the one that is damaged.
    try:
        request = csr if isinstance(csr, x509.CertificateSigningRequest) else _load(csr)
        subject = _subject(request, csr)
        public_key = _public_key(request, csr)
        extensions = list(request.extensions)
        if not skip_validation:
            extensions = filter_extensions(extensions)
        extensions = [e for e in extensions if e.oid not in _SET_BY_SIGNER]
        for extension in extensions:
            extension.value.public_bytes()
    except x509.DuplicateExtension as error:
        raise exception.CertificateValidationError(
            extension=f"{_name(error.oid)} (given twice)"
        ) from None
    except (
        ValueError,
        TypeError,
        NotImplementedError,
        crypto.UnsupportedAlgorithm,
        x509.InvalidVersion,
        x509.UnsupportedGeneralNameType,
    ) as error:
        raise _invalid(csr, f"it cannot be read ({type(error).__name__})") from None
    return Request(subject, public_key, extensions)


def filter_extensions(extensions: list[Extension]) -> list[Extension]:
    """Keep what the [x509] options allow of the extensions asked for.

    What is not allowed is refused when critical, else left out or weakened.

    Raises:
        CertificateValidationError: a critical extension is not allowed.
    """
    allowed = {EXTENSIONS[name] for name in CONF.x509.allowed_extensions}
    kept: list[Extension] = []
    for extension in extensions:
        if extension.oid not in allowed:
            if extension.critical:
                raise exception.CertificateValidationError(extension=_name(extension.oid))
        elif isinstance(extension.value, x509.KeyUsage):
            kept.append(_filter_key_usage(extension, extension.value))
        elif isinstance(extension.value, x509.BasicConstraints):
            kept.append(_filter_basic_constraints(extension, extension.value))
        else:
            kept.append(extension)
    return kept


def _filter_key_usage(extension: Extension, value: x509.KeyUsage) -> Extension:
    allowed = {KEY_USAGES[name] for name in CONF.x509.allowed_key_usage}
    if not CONF.x509.allow_ca:
        allowed -= _CA_USAGES
    asked = _usages(value)
    refused = asked - allowed
    if refused and extension.critical:
        names = sorted(name for name, usage in KEY_USAGES.items() if usage in refused)
        raise exception.CertificateValidationError(extension=f"keyUsage ({', '.join(names)})")
    kept = asked & allowed
    if "key_agreement" not in kept:
        kept -= {"encipher_only", "decipher_only"}
    return x509.Extension(extension.oid, extension.critical, key_usage(*kept))


def _usages(value: x509.KeyUsage) -> set[str]:
    usages = set(KEY_USAGES.values())
    if not value.key_agreement:
        # Without it these two have no meaning and cryptography refuses to tell them.
        usages -= {"encipher_only", "decipher_only"}
    return {usage for usage in usages if getattr(value, usage)}


def _filter_basic_constraints(extension: Extension, value: x509.BasicConstraints) -> Extension:
    if not value.ca or CONF.x509.allow_ca:
        return extension
    if extension.critical:
        raise exception.CertificateValidationError(extension="basicConstraints (CA:TRUE)")
    return x509.Extension(extension.oid, False, x509.BasicConstraints(ca=False, path_length=None))


def _load(csr: object) -> x509.CertificateSigningRequest:
    if not isinstance(csr, str | bytes) or not csr:
        raise _invalid(csr, "it is not PEM text")
    if len(csr) > MAX_SIZE:
        raise _invalid(csr, f"it is longer than {MAX_SIZE} bytes")
    if not csr.isascii():
        raise _invalid(csr, "it holds characters that are not ASCII")
    pem = csr.encode("ascii") if isinstance(csr, str) else csr
    return x509.load_pem_x509_csr(pem)


def _subject(request: x509.CertificateSigningRequest, csr: object) -> x509.Name:
    subject = request.subject
    if not list(subject):
        raise _invalid(csr, "its subject is empty")
    subject.public_bytes()
    return subject


def _public_key(request: x509.CertificateSigningRequest, csr: object) -> CertificatePublicKeyTypes:
    key = request.public_key()
    if isinstance(key, rsa.RSAPublicKey):
        if not MIN_RSA_BITS <= key.key_size <= MAX_RSA_BITS:
            raise _invalid(csr, f"an RSA key of {key.key_size} bits is not accepted")
    elif isinstance(key, ec.EllipticCurvePublicKey):
        if key.curve.key_size < MIN_EC_BITS:
            raise _invalid(csr, f"a key on curve {key.curve.name} is too weak")
    elif not isinstance(key, ed25519.Ed25519PublicKey | ed448.Ed448PublicKey):
        raise _invalid(csr, "its kind of key is not accepted")
    if not _proven(request):
        raise _invalid(csr, "its signature does not verify")
    return key


def _proven(request: x509.CertificateSigningRequest) -> bool:
    """Tell whether who made the request holds the key in it."""
    return request.is_signature_valid


def _name(oid: x509.ObjectIdentifier) -> str:
    return _NAMES.get(oid, oid.dotted_string)


def _invalid(csr: object, reason: str) -> exception.InvalidCsr:
    """Make the error; the request in it is cut, and plain enough for any formatting later on."""
    start = csr[:64] if isinstance(csr, str | bytes) else type(csr).__name__
    shown = start.decode("latin-1") if isinstance(start, bytes) else start
    shown = "".join(c if " " <= c <= "~" and c != "%" else " " for c in shown).strip()
    return exception.InvalidCsr(f"Received invalid csr %(csr)s: {reason}", csr=shown)
