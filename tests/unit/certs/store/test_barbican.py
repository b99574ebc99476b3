import socket
import threading

import pytest
from keystoneauth1 import session, token_endpoint
from openstack import connection

from magnumlite import exception
from magnumlite.certs import authority, x509
from magnumlite.certs.store import barbican
from tests.servers.barbican import Barbican
from tests.servers.keystone import Keystone
from tests.unit.certs.conftest import Cluster

PARTS = {
    "certificate": b"a certificate",
    "private_key": b"a key",
    "private_key_passphrase": "a passphrase",
}


def client_of(url):
    made = session.Session(auth=token_endpoint.Token(url, "token"))
    return connection.Connection(session=made, key_manager_endpoint_override=url).key_manager


@pytest.fixture
def server(monkeypatch):
    server = Barbican()
    server.start()
    client = client_of(server.url)
    monkeypatch.setattr(barbican, "_client", lambda: client)
    yield server
    server.stop()


@pytest.fixture
def cluster(conf, server):
    conf.set_override("cert_manager_type", "barbican", "certificates")
    return Cluster()


def store(**more):
    return barbican.CertManager.store_cert(name="life", context=None, **(PARTS | more))


def empty(server):
    return not server.secrets and not server.containers


def test_stores_the_recorded_shape(server):
    reference = store(intermediates="between", expiration="2036-01-01T00:00:00")
    assert reference.startswith(f"{server.url}/v1/containers/")
    (container,) = server.containers.values()
    assert (container["name"], container["type"]) == ("life", "certificate")
    assert [entry["name"] for entry in container["secret_refs"]] == [
        "certificate",
        "private_key",
        "intermediates",
        "private_key_passphrase",
    ]
    assert [secret["name"] for secret in server.secrets.values()] == [
        "Certificate",
        "Private Key",
        "Intermediates",
        "Private Key Passphrase",
    ]
    assert {s["expiration"] for s in server.secrets.values()} == {"2036-01-01T00:00:00"}


def test_payloads_are_text_and_no_expiration_is_sent(server):  # B48
    store()
    assert len(server.secrets) == 3
    for secret in server.secrets.values():
        assert set(secret) == {"name", "payload", "payload_content_type"}
        assert secret["payload_content_type"] == "text/plain"


def test_reads_what_was_stored(server):
    cert = barbican.CertManager.get_cert(store(), resource_ref="uuid", context=None)
    assert server.count("GET", "secrets") == 0
    for _ in range(3):
        assert cert.get_certificate() == "a certificate"
        assert cert.get_private_key() == "a key"
        assert cert.get_private_key_passphrase() == "a passphrase"
        assert cert.get_intermediates() is None
    assert server.count("GET", "payload") == 3


@pytest.mark.parametrize("failing", ["container", *range(1, 4)])
@pytest.mark.parametrize("status", [400, 403, 500, 503])
def test_takes_back_what_was_stored(server, failing, status):  # B49
    posts = []

    def fail(method, path):
        if method == "POST":
            posts.append(path)
            if path.endswith("containers") or len(posts) == failing:
                return status
        return None

    server.fail = fail
    with pytest.raises(exception.CertificateStorageException, match=str(status)):
        store()
    assert empty(server)
    assert len(posts) == (4 if failing == "container" else failing)


def test_taking_back_goes_on_past_what_cannot_be_deleted(server):  # B49
    deletes = []

    def fail(method, path):
        if method == "DELETE":
            deletes.append(path)
            return 500 if len(deletes) == 1 else None
        return 500 if path.endswith("containers") else None

    server.fail = fail
    with pytest.raises(exception.CertificateStorageException):
        store()
    assert len(server.secrets) == 1


def test_deletes_secrets_and_container(server):
    reference = store(intermediates="between")
    barbican.CertManager.delete_cert(reference, resource_ref="uuid", context=None)
    assert empty(server)
    barbican.CertManager.delete_cert(reference, resource_ref="uuid", context=None)


@pytest.mark.parametrize("gone", range(3))
def test_a_secret_that_is_gone_is_no_error(server, gone):  # B49
    reference = store()
    del server.secrets[list(server.secrets)[gone]]
    barbican.CertManager.delete_cert(reference)
    assert empty(server)


def test_deletion_goes_on_and_says_what_is_left(server):  # B49
    reference = store()
    stuck = next(iter(server.secrets))
    server.fail = lambda method, path: 500 if (method, path[-36:]) == ("DELETE", stuck) else None
    with pytest.raises(exception.CertificateStorageException, match=stuck):
        barbican.CertManager.delete_cert(reference)
    assert list(server.secrets) == [stuck]
    assert not server.containers


def test_nothing_under_the_reference_is_not_found(server):
    with pytest.raises(exception.ResourceNotFound):
        barbican.CertManager.get_cert(f"{server.url}/v1/containers/{Cluster().uuid}")


def test_a_missing_secret_is_not_found_when_it_is_read(server):
    cert = barbican.CertManager.get_cert(store())
    server.secrets.clear()
    with pytest.raises(exception.ResourceNotFound):
        cert.get_certificate()


def test_a_container_of_another_type_is_refused(server):
    made = server.create_container({"type": "generic", "secret_refs": []})
    with pytest.raises(exception.CertificateStorageException, match="not a container of type"):
        barbican.CertManager.get_cert(made["container_ref"])


def test_barbican_out_of_reach_is_told(server):
    reference = store()
    server.fail = lambda method, path: 503
    with pytest.raises(exception.CertificateStorageException, match="HTTP 503"):
        barbican.CertManager.get_cert(reference)


def test_barbican_not_there_is_told(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    monkeypatch.setattr(barbican, "_client", lambda: client_of(url))
    with pytest.raises(exception.CertificateStorageException, match="Unable to"):
        store()
    for call in (barbican.CertManager.get_cert, barbican.CertManager.delete_cert):
        with pytest.raises(exception.CertificateStorageException, match="Unable to"):
            call(f"{url}/v1/containers/{Cluster().uuid}")


@pytest.mark.parametrize("status", [401, 403, 500, 503])
def test_an_error_is_not_taken_for_a_payload(server, status):
    cert = barbican.CertManager.get_cert(store())
    server.fail = lambda method, path: status
    with pytest.raises(exception.CertificateStorageException):
        cert.get_certificate()
    server.fail = lambda method, path: None
    assert cert.get_certificate() == "a certificate"


def test_the_client_is_the_service_users(conf):
    with Keystone() as keystone:
        keystone.configure(conf)
        with pytest.raises(exception.ResourceNotFound):
            barbican.CertManager.get_cert(f"{keystone.root}/key-manager/v1/containers/none")
        assert ("GET", "/key-manager/v1/containers/none") in keystone.requests
        conf.set_override("password", "wrong", "keystone_auth")
        with pytest.raises(exception.CertificateStorageException, match="in Barbican") as caught:
            store()
        assert caught.value.code == 500


def test_four_certificates_take_sixteen_calls_and_leave_nothing(server, cluster):
    authority.generate(cluster, None).apply(cluster)
    assert server.count("POST", "") == 16
    assert [container["name"] for container in server.containers.values()] == [
        "life",
        "life",
        "life",
        "Magnum-Conductor",
    ]
    authority.delete(authority.References.of(cluster), cluster, None)
    assert empty(server)


def test_a_store_failing_in_the_middle_leaves_nothing(server, cluster):  # B19, B49
    server.fail = lambda method, path: (
        500 if method == "POST" and len(server.containers) == 3 else None
    )
    with pytest.raises(exception.CertificatesToClusterFailed, match="500"):
        authority.generate(cluster, None)
    assert empty(server)


def test_steady_state_reads_two_certificates_a_cluster(server, cluster):  # B42
    authority.generate(cluster, None).apply(cluster)

    def poll():
        ca = authority.ca_certificate(cluster, None)
        client = authority.client_certificate(cluster, None)
        x509.load_key(client.get_decrypted_private_key())
        return ca.get_certificate(), client.get_certificate()

    first = poll()
    before = len(server.requests)
    pollers = [threading.Thread(target=poll) for _ in range(10)]
    for poller in pollers:
        poller.start()
    for poller in pollers:
        poller.join()
    assert poll() == first
    assert len(server.requests) == before
    assert server.count("GET", "containers") == 2
    authority.delete(authority.References.of(cluster), cluster, None)
    with pytest.raises(exception.ResourceNotFound):
        poll()
