import datetime
import os
import socket
import ssl
import subprocess
import threading
import time

import pytest
from cryptography import x509 as crypto
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from magnumlite.certs import x509

UTC = datetime.UTC
DAY = datetime.timedelta(days=1)


@pytest.fixture
def ca(conf):
    (key,) = x509.generate_keys(1)
    return x509.ca_certificate(x509.common_name("life"), key), key


@pytest.fixture
def client(ca):
    certificate, key = ca
    (client_key,) = x509.generate_keys(1)
    name = x509.client_name("admin", "system:masters")
    return x509.client_certificate(name, client_key, x509.Issuer.of(certificate, key)), client_key


def extensions(certificate):
    return [(e.value.__class__.__name__, e.critical) for e in certificate.extensions]


def test_ca_has_the_recorded_shape(ca):
    certificate, key = ca
    assert certificate.subject == certificate.issuer == x509.common_name("life")
    assert extensions(certificate) == [
        ("BasicConstraints", True),
        ("KeyUsage", True),
        ("SubjectKeyIdentifier", False),
    ]
    basic = certificate.extensions.get_extension_for_class(crypto.BasicConstraints).value
    assert (basic.ca, basic.path_length) == (True, 0)
    usage = certificate.extensions.get_extension_for_class(crypto.KeyUsage).value
    assert usage == x509.key_usage("key_cert_sign")
    assert key.key_size == 2048
    assert certificate.signature_hash_algorithm.name == "sha256"
    assert certificate.serial_number.bit_length() <= 128
    span = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert span == 1826 * DAY


def test_client_has_the_recorded_shape(ca, client):
    certificate, _ = client
    assert [(a.oid, a.value) for a in certificate.subject] == [
        (NameOID.COMMON_NAME, "admin"),
        (NameOID.ORGANIZATION_NAME, "system:masters"),
    ]
    assert certificate.issuer == x509.common_name("life")
    assert extensions(certificate) == [
        ("KeyUsage", True),
        ("ExtendedKeyUsage", False),
        ("BasicConstraints", True),
        ("SubjectKeyIdentifier", False),
        ("AuthorityKeyIdentifier", False),
    ]
    purposes = certificate.extensions.get_extension_for_class(crypto.ExtendedKeyUsage).value
    assert list(purposes) == [ExtendedKeyUsageOID.CLIENT_AUTH]
    certificate.verify_directly_issued_by(ca[0])


def test_leaf_names_the_key_of_its_ca(ca, client):  # B45
    authority = client[0].extensions.get_extension_for_class(crypto.AuthorityKeyIdentifier).value
    subject = ca[0].extensions.get_extension_for_class(crypto.SubjectKeyIdentifier).value
    assert authority.key_identifier == subject.digest


def test_leaf_lives_within_its_ca(conf, ca):  # B46
    certificate, key = ca
    now = datetime.datetime.now(UTC).replace(microsecond=0)
    issuer = x509.Issuer(certificate.subject, key, now - DAY / 2, now + DAY)
    leaf = x509.sign(certificate.subject, key.public_key(), [], issuer)
    assert leaf.not_valid_before_utc == now - DAY / 2
    assert leaf.not_valid_after_utc == now + DAY


def test_issuer_tells_when_it_has_expired(ca):
    certificate, key = ca
    issuer = x509.Issuer.of(certificate, key)
    assert not issuer.expired
    past = datetime.datetime.now(UTC) - DAY
    assert x509.Issuer(issuer.name, key, None, past).expired
    assert not x509.Issuer.named("life", key).expired


def test_dates_are_utc_wherever_the_host_is(conf, monkeypatch):  # B46
    monkeypatch.setenv("TZ", "Pacific/Kiritimati")
    time.tzset()
    try:
        (key,) = x509.generate_keys(1)
        before = datetime.datetime.now(UTC).replace(microsecond=0)
        certificate = x509.ca_certificate(x509.common_name("life"), key)
        after = datetime.datetime.now(UTC)
    finally:
        monkeypatch.undo()
        time.tzset()
    assert before <= certificate.not_valid_before_utc + DAY <= after


def test_term_of_validity_is_the_option(conf):
    conf.set_override("term_of_validity", 10, "x509")
    (key,) = x509.generate_keys(1)
    certificate = x509.ca_certificate(x509.common_name("life"), key)
    span = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    assert span == 11 * DAY


def test_pem_has_no_final_newline_and_keys_are_encrypted(ca):
    certificate, key = ca
    assert x509.certificate_pem(certificate).endswith(b"-----END CERTIFICATE-----")
    pem = x509.key_pem(key, "pass")
    assert pem.startswith(b"-----BEGIN ENCRYPTED PRIVATE KEY-----")
    assert x509.load_key(pem, b"pass").private_numbers() == key.private_numbers()
    with pytest.raises(ValueError, match=r"(?i)password|decrypt"):
        x509.load_key(pem, "wrong")
    with pytest.raises(TypeError):
        x509.load_key(pem, None)
    assert x509.key_pem(key).startswith(b"-----BEGIN PRIVATE KEY-----")


def test_key_threads_are_bounded_whatever_is_asked(conf):
    conf.set_override("rsa_key_size", 1024, "x509")
    askers = [threading.Thread(target=x509.generate_keys, args=(4,)) for _ in range(10)]
    for asker in askers:
        asker.start()
    most = 0
    while any(asker.is_alive() for asker in askers):
        most = max(most, sum(t.name.startswith("rsa-key") for t in threading.enumerate()))
        time.sleep(0.001)
    assert 1 <= most <= x509.KEY_THREADS


def test_a_forked_process_generates_keys_too(conf):
    x509.generate_keys(1)
    pid = os.fork()
    if pid == 0:  # pragma: no cover
        os._exit(0 if len(x509.generate_keys(1)) == 1 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


@pytest.fixture
def files(ca, client, tmp_path):
    names = {
        "ca.crt": x509.certificate_pem(ca[0]),
        "client.crt": x509.certificate_pem(client[0]),
        "client.key": x509.key_pem(client[1]),
    }
    for name, content in names.items():
        (tmp_path / name).write_bytes(content + b"\n")
    return tmp_path


def test_openssl_verifies_strictly(files):  # B45
    subprocess.run(
        ["openssl", "verify", "-x509_strict", "-CAfile", files / "ca.crt", files / "client.crt"],
        check=True,
        capture_output=True,
    )


def test_tls_verifies_strictly(files, ca):  # B45: what Python 3.13 does by default
    certificate, key = ca
    (server_key,) = x509.generate_keys(1)
    names = crypto.SubjectAlternativeName([crypto.DNSName("kubernetes")])
    server = x509.sign(
        x509.common_name("kubernetes"),
        server_key.public_key(),
        [crypto.Extension(names.oid, False, names)],
        x509.Issuer.of(certificate, key),
    )
    (files / "server.pem").write_bytes(
        x509.certificate_pem(server) + b"\n" + x509.key_pem(server_key) + b"\n"
    )
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=files / "ca.crt")
    serving.load_cert_chain(files / "server.pem")
    serving.verify_mode = ssl.CERT_REQUIRED
    calling = ssl.create_default_context(cafile=files / "ca.crt")
    calling.load_cert_chain(files / "client.crt", files / "client.key")
    for context in (serving, calling):
        context.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    near, far = socket.socketpair()
    seen = []

    def serve():
        with serving.wrap_socket(far, server_side=True) as tls:
            seen.append(tls.getpeercert()["subject"])
            tls.recv(1)

    thread = threading.Thread(target=serve)
    thread.start()
    with calling.wrap_socket(near, server_hostname="kubernetes") as tls:
        tls.send(b".")
    thread.join()
    assert seen == [
        ((("commonName", "admin"),), (("organizationName", "system:masters"),)),
    ]
