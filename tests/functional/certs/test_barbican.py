"""A conductor that keeps its certificates in Barbican, from create to delete."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.openstack import sessions
from magnumlite.rpc.client import API
from magnumlite.sandbox import scenario
from magnumlite.sandbox.caller import request
from magnumlite.sandbox.conformance.requests import Requests, Templates
from magnumlite.sandbox.house import House
from tests.servers.barbican import Barbican
from tests.servers.keystone import PASSWORD, PROJECT, USER, Keystone

CONFIGURATION = """\
[certificates]
cert_manager_type = barbican

[keystone_auth]
auth_type = password
auth_url = {auth_url}
username = {user}
password = {password}
project_name = {project}
user_domain_id = default
project_domain_id = default

[kubernetes]
health_polling_interval = 1

[simulated]
delay = 0.1
kubernetes_api = true
"""
REFERENCES = ("ca_cert_ref", "magnum_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref")


@pytest.fixture
def barbican() -> Iterator[Barbican]:
    server = Barbican()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def cluster(conf: Any, barbican: Barbican, tmp_path: Path) -> Iterator[Requests]:
    """A cluster to ask for, of a conductor whose Keystone names our Barbican."""
    sessions.forget()
    with Keystone() as keystone:
        keystone.elsewhere["key-manager"] = barbican.url
        barbican.tokens = keystone.tokens
        file = tmp_path / "barbican.conf"
        file.write_text(
            CONFIGURATION.format(
                auth_url=keystone.auth_url, user=USER, password=PASSWORD, project=PROJECT
            )
        )
        house = House(tmp_path / "house", 1, [file])
        house.open()
        try:
            kind = {"server_type": "vm", "os": "simulated-os", "coe": "kubernetes"}
            first, second = (
                scenario.make_template(name, "simulated", kind) for name in ("v1", "v2")
            )
            yield Requests("c1", Templates(first, second), {}, 60)
        finally:
            house.close()
            sessions.forget()


def row(cluster: Requests) -> Any:
    return objects.Cluster.get_by_uuid(
        request_context.make_admin_context(all_tenants=True), cluster.uuid
    )


def gone(cluster: Requests) -> bool:
    try:
        row(cluster)
    except exception.ClusterNotFound:
        return True
    return False


def until(condition: Callable[[], object]) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.05)


def signing_request() -> str:
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "somebody")])
    made = x509.CertificateSigningRequestBuilder().subject_name(name)
    signed = made.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256())
    return signed.public_bytes(serialization.Encoding.PEM).decode()


def created(cluster: Requests) -> None:
    cluster.ask("create")
    until(lambda: row(cluster).status == "CREATE_COMPLETE")


def stored(barbican: Barbican) -> tuple[int, int]:
    return len(barbican.containers), len(barbican.secrets)


def test_from_create_to_delete(cluster: Requests, barbican: Barbican) -> None:
    created(cluster)
    assert stored(barbican) == (4, 12)
    references = [getattr(row(cluster), name) for name in REFERENCES]
    assert sorted(references) == sorted(
        f"{barbican.url}/v1/containers/{name}" for name in barbican.containers
    )
    until(lambda: row(cluster).health_status == "HEALTHY")
    two_certificates_are_read_and_no_more(cluster, barbican)

    cluster.ask("rotate CA")
    until(lambda: row(cluster).status == "UPDATE_COMPLETE")
    assert stored(barbican) == (4, 12)  # B20: the old ones are gone
    rotated = row(cluster)
    assert not {getattr(rotated, name) for name in REFERENCES} & set(references)

    cluster.ask("delete")
    until(lambda: gone(cluster))
    assert stored(barbican) == (0, 0)


def two_certificates_are_read_and_no_more(cluster: Requests, barbican: Barbican) -> None:
    """B42: the Kubernetes CA and the client's, each a container and three payloads, once."""
    api = API(request(), timeout=60)

    def use() -> str:
        shown = api.get_ca_certificate(row(cluster))
        asked = objects.Certificate(request(), csr=signing_request(), cluster_uuid=cluster.uuid)
        signed = api.sign_certificate(row(cluster), asked)
        x509.load_pem_x509_certificate(signed.pem.encode())
        return str(shown.pem)

    shown = use()
    before = len(barbican.requests)
    for _ in range(3):
        # Whoever says HEALTHY now has polled anew.
        forgotten = row(cluster)
        forgotten.health_status = None
        forgotten.save()
        assert use() == shown
        until(lambda: row(cluster).health_status == "HEALTHY")
    assert len(barbican.requests) == before
    assert barbican.count("GET", "/containers/") == 2
    assert barbican.count("GET", "/payload") <= 6


def test_one_that_cannot_be_stored_leaves_nothing(cluster: Requests, barbican: Barbican) -> None:
    """B19, B49: the last container is refused."""
    barbican.fail = lambda method, path: (
        500 if method == "POST" and len(barbican.containers) == 3 else None
    )
    with pytest.raises(exception.CertificatesToClusterFailed):
        cluster.ask("create")

    failed = row(cluster)
    assert failed.status == "CREATE_FAILED"
    assert "HTTP 500" in failed.status_reason
    assert {group.status for group in failed.nodegroups} == {"CREATE_FAILED"}
    assert stored(barbican) == (0, 0)
    assert not any(getattr(failed, name) for name in REFERENCES)


def test_a_cluster_goes_though_a_secret_stays(cluster: Requests, barbican: Barbican) -> None:
    """B49: deletion is best effort, and says what is left."""
    created(cluster)
    stuck = next(iter(barbican.secrets))
    barbican.fail = lambda method, path: 500 if (method, path[-36:]) == ("DELETE", stuck) else None

    cluster.ask("delete")
    until(lambda: gone(cluster))

    assert list(barbican.secrets) == [stuck]
    assert not barbican.containers
