"""Signing requests of every kind, through the real magnum-api."""

from __future__ import annotations

import ssl
from collections.abc import Callable
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID, ObjectIdentifier

from tests.interop.peers.deployment import User, ca, refused

NAME = x509.Name(
    [
        x509.NameAttribute(NameOID.COMMON_NAME, "system:node:n"),
        x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes"),
    ]
)
RSA = rsa.generate_private_key(65537, 2048)


def request_for(
    *extensions: tuple[x509.ExtensionType, bool], key: Any = RSA, name: x509.Name = NAME
) -> x509.CertificateSigningRequest:
    builder = x509.CertificateSigningRequestBuilder().subject_name(name)
    for extension, critical in extensions:
        builder = builder.add_extension(extension, critical)
    return builder.sign(key, hashes.SHA256())


def pem(*extensions: tuple[x509.ExtensionType, bool], **more: Any) -> str:
    made = request_for(*extensions, **more)
    return made.public_bytes(serialization.Encoding.PEM).decode()


def broken_signature() -> str:
    der = bytearray(request_for().public_bytes(serialization.Encoding.DER))
    der[-5] ^= 1
    text = ssl.DER_cert_to_PEM_cert(bytes(der))
    return text.replace("CERTIFICATE", "CERTIFICATE REQUEST")


UNKNOWN = x509.UnrecognizedExtension(ObjectIdentifier("1.2.3.4.5"), b"\x05\x00")
CONSTRAINTS = x509.NameConstraints([x509.DNSName("example.com")], None)
KEY_USAGE = x509.KeyUsage(False, False, False, False, False, True, True, False, False)

BAD: dict[str, Callable[[], Any]] = {
    "rubbish": lambda: "rubbish",
    "an empty text": lambda: "",
    "blanks": lambda: "  \n",
    "another kind of PEM": lambda: pem().replace("CERTIFICATE REQUEST", "CERTIFICATE"),
    "PEM of rubbish": lambda: (
        "-----BEGIN CERTIFICATE REQUEST-----\nAAAA\n-----END CERTIFICATE REQUEST-----\n"
    ),
    "text of a language": lambda: "ключ — 键 🚀",
    "text of a language around it": lambda: f"ключ — 键 🚀\n{pem()}\n— конец",
    "a broken self-signature": broken_signature,
    "a weak key": lambda: pem(key=rsa.generate_private_key(65537, 1024)),
    "no subject": lambda: pem(name=x509.Name([])),
    "a CA": lambda: pem((x509.BasicConstraints(True, 0), True)),
    "critical signing of certificates": lambda: pem((KEY_USAGE, True)),
    "critical name constraints": lambda: pem((CONSTRAINTS, True)),
    "a critical unknown extension": lambda: pem((UNKNOWN, True)),
    "a megabyte of noise": lambda: "A" * 1_000_000,
}

GOOD: dict[str, Callable[[], str]] = {
    "plain": pem,
    "an elliptic curve": lambda: pem(key=ec.generate_private_key(ec.SECP256R1())),
    "a subject key identifier": lambda: pem(  # B16
        (x509.SubjectKeyIdentifier.from_public_key(RSA.public_key()), False)
    ),
    "alternative names": lambda: pem(
        (x509.SubjectAlternativeName([x509.DNSName("node.example.com")]), False)
    ),
    "an unknown extension that is not critical": lambda: pem((UNKNOWN, False)),
}


def sign(user: User, uuid: str, csr: Any, kind: str | None = None) -> tuple[int, Any]:
    body = {"cluster_uuid": uuid, "csr": csr} | ({"ca_cert_type": kind} if kind else {})
    return user.raw("POST", "certificates", body)


@pytest.mark.parametrize("name", BAD)
def test_a_bad_request_is_the_callers_mistake(demo: User, cluster: str, name: str) -> None:
    # B16, B17, B46, B47, B66
    refused(sign(demo, cluster, BAD[name]()), 400)


def test_a_request_without_a_csr_is_the_callers_mistake(demo: User, cluster: str) -> None:
    refused(sign(demo, cluster, None), 400)
    refused(demo.raw("POST", "certificates", {"cluster_uuid": cluster}), 400)


@pytest.mark.parametrize("name", GOOD)
def test_a_good_request_is_signed(demo: User, cluster: str, name: str) -> None:
    status, body = sign(demo, cluster, GOOD[name]())
    assert status == 201, body
    made = x509.load_pem_x509_certificate(body["pem"].encode())
    made.verify_directly_issued_by(ca(demo, cluster))
    assert made.subject == NAME


def test_each_ca_signs_for_itself(demo: User, cluster: str) -> None:
    kinds = ("kubernetes", "etcd", "front-proxy")
    found = {kind: ca(demo, cluster, kind) for kind in kinds}
    assert len({made.serial_number for made in found.values()}) == 3
    assert found["kubernetes"] == ca(demo, cluster)
    for kind, authority in found.items():
        status, body = sign(demo, cluster, pem(), kind)
        assert status == 201, body
        x509.load_pem_x509_certificate(body["pem"].encode()).verify_directly_issued_by(authority)


def test_an_unknown_ca_is_the_callers_mistake(demo: User, cluster: str) -> None:
    # B44
    assert "bogus" in refused(sign(demo, cluster, pem(), "bogus"), 400)
    refused(demo.raw("GET", f"certificates/{cluster}?ca_cert_type=bogus"), 400)


def test_python_magnumclient_signs(demo: User, cluster: str) -> None:
    made = demo.magnum.certificates.create(cluster_uuid=cluster, csr=pem())
    assert x509.load_pem_x509_certificate(made.pem.encode()).subject == NAME
