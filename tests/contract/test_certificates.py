"""Certificates made by magnum 23.0.0 (data/magnum_certificates.json) beside ours."""

import inspect
import json
import pathlib

import pytest
from cryptography import x509 as crypto

from magnumlite.certs import authority, cluster_certificates, operations, x509
from magnumlite.certs.store import base, local
from tests.unit.certs.conftest import Cluster, local_store  # noqa: F401

RECORDED = json.loads(
    (pathlib.Path(__file__).parent / "data" / "magnum_certificates.json").read_text()
)


@pytest.fixture
def of_magnum(local_store):  # noqa: F811
    """A cluster whose certificates magnum made."""
    references = {
        "ca_cert_ref": local.CertManager.store_cert(**RECORDED["ca"]),
        "magnum_cert_ref": local.CertManager.store_cert(**RECORDED["client"]),
    }
    return Cluster(name="renamed since", **references)


@pytest.fixture
def ours(local_store):  # noqa: F811
    cluster = Cluster(name="recorded")
    authority.generate(cluster, None).apply(cluster)
    return cluster


def loaded(pem):
    return crypto.load_pem_x509_certificate(pem if isinstance(pem, bytes) else pem.encode())


def test_keys_of_magnum_are_opened(of_magnum):
    for cert in (
        authority.ca_certificate(of_magnum, None),
        authority.client_certificate(of_magnum, None),
    ):
        key = x509.load_key(cert.get_decrypted_private_key())
        assert key.public_key() == loaded(cert.get_certificate()).public_key()


def test_a_ca_of_magnum_signs(of_magnum):
    pair = operations.generate_csr_and_key("node")
    ca = loaded(RECORDED["ca"]["certificate"])
    signed = loaded(authority.sign(of_magnum, pair["csr"], "etcd", None))
    signed.verify_directly_issued_by(ca)
    assert signed.not_valid_after_utc <= ca.not_valid_after_utc


def shape(certificate):
    """All of a certificate that is not chance."""
    kept = [
        (e.oid.dotted_string, e.critical, None if e.oid.dotted_string == "2.5.29.14" else e.value)
        for e in certificate.extensions
        if not isinstance(e.value, crypto.AuthorityKeyIdentifier)
    ]
    span = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    return {
        "subject": certificate.subject.public_bytes(),
        "issuer": certificate.issuer.public_bytes(),
        "version": certificate.version,
        "signature": certificate.signature_algorithm_oid,
        "days": round(span.total_seconds() / 86400),
        "key": certificate.public_key().key_size,
        "exponent": certificate.public_key().public_numbers().e,
        "extensions": kept,
    }


def test_shape_is_the_recorded_one(ours):
    for role, read in (("ca", authority.ca_certificate), ("client", authority.client_certificate)):
        made, recorded = read(ours, None), RECORDED[role]
        assert shape(loaded(made.get_certificate())) == shape(loaded(recorded["certificate"]))
        assert not made.get_certificate().endswith("\n")
        assert not recorded["certificate"].endswith("\n")
        assert encryption(made.get_private_key()) == encryption(recorded["private_key"])


def encryption(pem):
    """The algorithms an encrypted PKCS8 key names, by their object identifiers."""
    import base64

    der = base64.b64decode("".join(line for line in pem.splitlines() if "-----" not in line))
    known = {
        "pbes2": "06092a864886f70d01050d",
        "pbkdf2": "06092a864886f70d01050c",
        "hmac-sha256": "06082a864886f70d0209",
        "aes-256-cbc": "060960864801650304012a",
        "2048 rounds": "02020800",
    }
    head = der[:120].hex()
    return [name for name, oid in known.items() if oid in head]


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (operations.decrypt_key, "(encrypted_key, password)"),
        (operations.generate_ca_certificate, "(subject_name, encryption_password=None)"),
        (
            operations.generate_client_certificate,
            "(issuer_name, subject_name, organization_name, ca_key,"
            " encryption_password=None, ca_key_password=None)",
        ),
        (
            operations.sign,
            "(csr, issuer_name, ca_key, ca_key_password=None, skip_validation=False)",
        ),
        (operations.generate_csr_and_key, "(common_name)"),
        (
            cluster_certificates.get_cluster_ca_certificate,
            "(cluster, context=None, ca_cert_type=None)",
        ),
        (cluster_certificates.get_cluster_magnum_cert, "(cluster, context=None)"),
        (cluster_certificates.generate_certificates_to_cluster, "(cluster, context=None)"),
        (cluster_certificates.delete_certificates_from_cluster, "(cluster, context=None)"),
        (
            cluster_certificates.sign_node_certificate,
            "(cluster, csr, ca_cert_type=None, context=None)",
        ),
        (cluster_certificates.create_client_files, "(cluster, context=None)"),
        (cluster_certificates.delete_client_files, "(cluster, context=None)"),
        (
            base.CertManager.store_cert,
            "(certificate, private_key, intermediates=None, private_key_passphrase=None,"
            " expiration=None, name='Magnum TLS Cert', **kwargs)",
        ),
        (base.CertManager.get_cert, "(cert_uuid, check_only=False, **kwargs)"),
        (base.CertManager.delete_cert, "(cert_uuid, **kwargs)"),
    ],
)
def test_signatures_drivers_call(function, signature):
    found = inspect.signature(function)
    plain = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    bare = found.replace(parameters=plain, return_annotation=inspect.Signature.empty)
    assert str(bare) == signature


def test_names_drivers_use():
    assert inspect.isabstract(base.Cert)
    assert cluster_certificates.CONDUCTOR_CLIENT_NAME == "Magnum-Conductor"
    for store in ("barbican", "x509keypair", "local"):
        module = __import__(f"magnumlite.certs.store.{store}", fromlist=["Cert"])
        assert issubclass(module.Cert, base.Cert)
        assert issubclass(module.CertManager, base.CertManager)
