import datetime
import logging
import subprocess

import pytest
from cryptography import x509 as crypto

from magnumlite import exception
from magnumlite.certs import authority, operations, x509
from magnumlite.certs.store import local
from tests.unit.certs.conftest import Cluster


def kept(directory, suffix=".crt"):
    return sorted(path.stem for path in directory.glob(f"*{suffix}")) if directory.exists() else []


def loaded(cert):
    return crypto.load_pem_x509_certificate(cert.get_certificate().encode())


@pytest.fixture
def made(local_store, cluster):
    authority.generate(cluster, None).apply(cluster)
    return cluster


def test_generate_stores_four_and_leaves_the_cluster_alone(local_store, cluster):
    references = authority.generate(cluster, None)
    assert sorted(references) == kept(local_store)
    assert len(set(references)) == 4
    assert list(authority.References.of(cluster)) == []
    references.apply(cluster)
    assert authority.References.of(cluster) == references


def test_three_cas_and_a_client_of_the_kubernetes_one(made):
    cas = {
        t: authority.ca_certificate(made, None, t) for t in ("kubernetes", "etcd", "front_proxy")
    }
    assert {loaded(ca).subject for ca in cas.values()} == {x509.common_name("life")}
    assert len({loaded(ca).public_key().public_numbers() for ca in cas.values()}) == 3
    client = authority.client_certificate(made, None)
    loaded(client).verify_directly_issued_by(loaded(cas["kubernetes"]))
    for cert in (*cas.values(), client):
        assert cert.get_private_key().startswith("-----BEGIN ENCRYPTED PRIVATE KEY-----")
        key = x509.load_key(cert.get_decrypted_private_key())
        assert key.public_key() == loaded(cert).public_key()


def test_passphrases_differ(made):
    phrases = {local._read(r, ".pass") for r in authority.References.of(made)}
    assert len(phrases) == 4


@pytest.mark.parametrize("step", range(1, 5))
def test_nothing_is_left_when_a_store_fails(local_store, cluster, monkeypatch, caplog, step):  # B19
    calls = []
    store_cert = local.CertManager.store_cert

    def failing(**kwargs):
        calls.append(kwargs)
        if len(calls) == step:
            raise RuntimeError(f"disk %(full)s\n[parameters: {kwargs['private_key_passphrase']}]")
        return store_cert(**kwargs)

    monkeypatch.setattr(local.CertManager, "store_cert", staticmethod(failing))
    with pytest.raises(exception.CertificatesToClusterFailed) as caught:
        authority.generate(cluster, None)
    assert len(calls) == step
    assert kept(local_store) == kept(local_store, ".key") == kept(local_store, ".pass") == []
    assert "RuntimeError: disk %(full)s" in str(caught.value)
    assert cluster.uuid in str(caught.value)
    assert caught.value.kwargs["cluster_uuid"] == cluster.uuid
    assert list(authority.References.of(cluster)) == []
    secret = calls[-1]["private_key_passphrase"]
    assert secret not in str(caught.value)
    assert secret not in caplog.text


def test_stores_in_the_recorded_order_with_the_cluster_as_owner(local_store, cluster, monkeypatch):
    calls = []
    monkeypatch.setattr(
        local.CertManager,
        "store_cert",
        staticmethod(lambda **kwargs: calls.append(kwargs) or str(len(calls))),
    )
    references = authority.generate(cluster, "the context")
    assert references == authority.References(
        ca_cert_ref="1", etcd_ca_cert_ref="2", front_proxy_ca_cert_ref="3", magnum_cert_ref="4"
    )
    assert [c["name"] for c in calls] == ["life", "life", "life", "Magnum-Conductor"]
    for call in calls:
        assert call["context"] == "the context"
        assert (call["project_id"], call["user_id"]) == ("project-of-cluster", "user-of-cluster")


@pytest.mark.parametrize(
    ("cert_type", "field"),
    [
        (None, "ca_cert_ref"),
        ("kubernetes", "ca_cert_ref"),
        ("etcd", "etcd_ca_cert_ref"),
        ("front_proxy", "front_proxy_ca_cert_ref"),
        ("front-proxy", "front_proxy_ca_cert_ref"),
    ],
)
def test_ca_by_type(made, cert_type, field):
    expected = local.CertManager.get_cert(getattr(made, field)).get_certificate()
    assert authority.ca_certificate(made, None, cert_type).get_certificate() == expected


@pytest.mark.parametrize("cert_type", ["bogus", "", "ETCD", "%s", ["etcd"], 5])
def test_unknown_ca_type_is_a_client_error(made, cert_type):  # B44
    csr = operations.generate_csr_and_key("node")["csr"]
    with pytest.raises(exception.InvalidParameterValue, match="is one of kubernetes, etcd") as get:
        authority.ca_certificate(made, None, cert_type)
    assert get.value.code == 400
    with pytest.raises(exception.InvalidParameterValue):
        authority.sign(made, csr, cert_type, None)


@pytest.mark.parametrize("cert_type", ["etcd", "front_proxy"])
def test_clusters_older_than_the_separate_cas_use_the_kubernetes_one(made, cert_type):  # B44
    expected = authority.ca_certificate(made, None).get_certificate()
    made.etcd_ca_cert_ref = made.front_proxy_ca_cert_ref = None
    assert authority.ca_certificate(made, None, cert_type).get_certificate() == expected


def test_cluster_without_certificates_is_not_found(local_store, cluster):
    for read in (authority.ca_certificate, authority.client_certificate):
        with pytest.raises(exception.ResourceNotFound, match=cluster.uuid):
            read(cluster, None)


@pytest.mark.parametrize("cert_type", [None, "etcd", "front-proxy"])
def test_signs_with_each_ca(made, cert_type):
    pair = operations.generate_csr_and_key("system:node:n1")
    pem = authority.sign(made, pair["csr"], cert_type, None)
    assert pem.endswith(b"-----END CERTIFICATE-----")
    signed = crypto.load_pem_x509_certificate(pem)
    signed.verify_directly_issued_by(loaded(authority.ca_certificate(made, None, cert_type)))
    assert signed.subject == x509.common_name("system:node:n1")
    assert signed.public_key() == x509.load_key(pair["private_key"]).public_key()


def test_openssl_verifies_what_is_signed_strictly(made, tmp_path):  # B45
    key, wanted = tmp_path / "node.key", tmp_path / "node.csr"
    key.write_bytes(x509.key_pem(x509.generate_keys(1)[0]))
    command = ["openssl", "req", "-new", "-key", key, "-out", wanted]
    command += ["-subj", "/O=system:nodes/CN=system:node:n1"]
    for extension in (
        "subjectAltName=DNS:n1,IP:10.0.0.1",
        "keyUsage=critical,digitalSignature,keyEncipherment",
        "extendedKeyUsage=clientAuth,serverAuth",
        "basicConstraints=critical,CA:FALSE",
        "subjectKeyIdentifier=hash",
    ):
        command += ["-addext", extension]
    subprocess.run(command, check=True, capture_output=True)
    (tmp_path / "node.crt").write_bytes(authority.sign(made, wanted.read_text(), None, None))
    ca = authority.ca_certificate(made, None).get_certificate()
    (tmp_path / "ca.crt").write_text(ca + "\n")
    command = ["openssl", "verify", "-x509_strict", "-purpose", "sslserver"]
    command += ["-CAfile", tmp_path / "ca.crt", tmp_path / "node.crt"]
    subprocess.run(command, check=True, capture_output=True)


def put_ca(cluster, certificate, key, passphrase="pass"):
    cluster.ca_cert_ref = local.CertManager.store_cert(
        x509.certificate_pem(certificate), x509.key_pem(key, "pass"), None, passphrase
    )


def ca_of_days(conf, days):
    conf.set_override("term_of_validity", days, "x509")
    (key,) = x509.generate_keys(1)
    certificate = x509.ca_certificate(x509.common_name("life"), key)
    conf.clear_override("term_of_validity", "x509")
    return certificate, key


def test_signed_certificate_does_not_outlive_its_ca(conf, local_store, cluster):  # B46
    ca, key = ca_of_days(conf, 1)
    put_ca(cluster, ca, key)
    csr = operations.generate_csr_and_key("node")["csr"]
    signed = crypto.load_pem_x509_certificate(authority.sign(cluster, csr, None, None))
    assert signed.not_valid_after_utc == ca.not_valid_after_utc


def test_an_expired_ca_signs_nothing(conf, local_store, cluster):  # B46
    ca, key = ca_of_days(conf, 0)
    assert ca.not_valid_after_utc <= datetime.datetime.now(datetime.UTC)
    put_ca(cluster, ca, key)
    csr = operations.generate_csr_and_key("node")["csr"]
    with pytest.raises(exception.Conflict, match="expired") as caught:
        authority.sign(cluster, csr, None, None)
    assert caught.value.code == 409


@pytest.mark.parametrize("passphrase", ["wrong", None])
def test_a_ca_that_cannot_be_opened_says_which(conf, local_store, cluster, passphrase):
    put_ca(cluster, *ca_of_days(conf, 1), passphrase)
    csr = operations.generate_csr_and_key("node")["csr"]
    with pytest.raises(exception.CertificateStorageException, match=cluster.uuid):
        authority.sign(cluster, csr, None, None)


def test_delete_removes_all_four(local_store, made):  # B20
    references = authority.References.of(made)
    authority.delete(references, made, None)
    assert list(local_store.iterdir()) == []
    authority.delete(references, made, None)


def test_delete_goes_on_past_what_fails(local_store, made, monkeypatch, caplog):  # B20
    delete_cert = local.CertManager.delete_cert

    def failing(reference, **kwargs):
        if reference == made.ca_cert_ref:
            raise RuntimeError("no disk")
        assert kwargs["resource_ref"] == made.uuid
        delete_cert(reference)

    monkeypatch.setattr(local.CertManager, "delete_cert", staticmethod(failing))
    with caplog.at_level(logging.WARNING):
        authority.delete(authority.References.of(made), made, None)
    assert kept(local_store) == [made.ca_cert_ref]
    assert made.uuid in caplog.text
    assert made.ca_cert_ref in caplog.text


def test_rotation_keeps_the_old_set_until_told(local_store, made):  # B01, B20
    old = authority.References.of(made)
    new = authority.generate(made, None)
    assert len(kept(local_store)) == 8
    new.apply(made)
    authority.delete(old, made, None)
    assert kept(local_store) == sorted(new)
    with pytest.raises(exception.CertificateStorageException):
        local.CertManager.get_cert(old.ca_cert_ref)


def test_reads_are_kept_until_deleted(local_store, made, monkeypatch):  # B42
    reads = []
    get_cert = local.CertManager.get_cert

    def counting(reference, **kwargs):
        reads.append(reference)
        assert kwargs["resource_ref"] == made.uuid
        return get_cert(reference)

    monkeypatch.setattr(local.CertManager, "get_cert", staticmethod(counting))
    for _ in range(10):
        authority.ca_certificate(made, None)
        authority.client_certificate(made, None)
    assert sorted(reads) == sorted([made.ca_cert_ref, made.magnum_cert_ref])
    authority.delete(authority.References.of(made), made, None)
    with pytest.raises(exception.CertificateStorageException):
        authority.ca_certificate(made, None)


def test_what_is_kept_is_bounded():
    assert authority._cached.maxsize == 4096


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("life", "life"),
        ("n" * 64, "n" * 64),
        ("é" * 32, "é" * 32),
        ("n" * 65, None),
        ("é" * 33, None),
        ("two\nlines", None),
        ("nul\0", None),
        ("\ud800", None),
    ],
)
def test_common_name_fits_and_is_stable(conf, name, expected):
    made = authority.issuer_name(Cluster(name=name))
    assert made == expected or expected is None
    assert made == authority.issuer_name(Cluster(name=name))
    assert len(made.encode()) <= 64
    assert made.isprintable()
    x509.common_name(made)


def test_long_names_with_one_beginning_differ():
    one, other = (authority.issuer_name(Cluster(name="n" * 100 + end)) for end in "ab")
    assert one != other
    assert one[:51] == other[:51]


@pytest.mark.parametrize("name", [None, ""])
def test_cluster_without_a_name_goes_by_its_uuid(name):
    cluster = Cluster(name=name)
    assert authority.issuer_name(cluster) == cluster.uuid
