import ssl

import pytest

from magnumlite.certs import authority
from magnumlite.drivers.simulated import apiserver
from magnumlite.drivers.simulated.driver import SimulatedDriver
from magnumlite.kubernetes import client
from magnumlite.kubernetes.address import Address
from magnumlite.kubernetes.client import Clients, KubernetesError
from magnumlite.kubernetes.connection import Connection
from tests.unit.drivers.simulated import rows

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture(autouse=True)
def servers(conf, monkeypatch):
    conf.set_override("cert_manager_type", "x509keypair", "certificates")
    conf.set_override("kubernetes_api", True, "simulated")
    conf.set_override("delay", 0.0, "simulated")
    servers = apiserver.Servers()
    monkeypatch.setattr(apiserver, "SERVERS", servers)
    monkeypatch.setattr("magnumlite.drivers.simulated.driver.SERVERS", servers)
    monkeypatch.setattr(client, "CLIENTS", Clients())
    yield servers
    client.CLIENTS.keep_only([])
    servers.close()


@pytest.fixture
def driver():
    return SimulatedDriver()


def made(driver, context, admin, **values):
    """Return a cluster that is complete and whose API runs."""
    row = rows.cluster(context, certificates=True, **values)
    driver.create_cluster(context, row, 60)
    driver.update_cluster_status(admin, row)
    return rows.again(admin, row)


def health(driver, admin, row):
    monitor = driver.get_monitor(admin, row)
    monitor.poll_health_status()
    return monitor.data["health_status"], monitor.data["health_status_reason"]


def test_healthy_with_the_clusters_own_certificates(driver, context, admin):
    row = made(driver, context, admin)
    assert row.api_address.startswith("https://127.0.0.1:")
    assert health(driver, admin, row) == (
        "HEALTHY",
        {
            "default-master-0.Ready": True,
            "default-worker-0.Ready": True,
            "default-worker-1.Ready": True,
            "api": "ok",
        },
    )


def test_the_client_certificate_is_demanded(driver, context, admin):
    row = made(driver, context, admin)
    tls = ssl.create_default_context(cadata=authority.ca_certificate(row, admin).get_certificate())
    with pytest.raises(KubernetesError):
        Connection(Address.parse(row.api_address), tls).get("/healthz")


@pytest.mark.parametrize(
    ("told", "cause"),
    [("down", "refused"), ("silent", "no answer in time"), ("unready", "ok")],
)
def test_told_to_be_unwell(driver, conf, context, admin, told, cause):
    conf.set_override("connect_timeout", 0.5, "health")
    row = made(driver, context, admin, labels={"simulated_health": told})
    status, reason = health(driver, admin, row)
    assert status == "UNHEALTHY"
    assert cause in reason["api"]
    assert (False in reason.values()) == (told == "unready")


def test_another_process_takes_over_at_the_same_address(driver, context, admin, servers):
    row = made(driver, context, admin)
    other = apiserver.Servers()
    other.ensure(admin, row)
    assert health(driver, admin, row)[0] == "HEALTHY", "the address is taken: nothing happens"
    servers.close()
    other.ensure(admin, row)
    client.CLIENTS.keep_only([])
    monitor = driver.get_monitor(admin, row)
    monitor.poll_health_status()
    assert monitor.data["health_status"] == "HEALTHY"
    other.close()


def test_rotation_gives_the_server_a_certificate_of_the_new_ca(driver, context, admin):
    # B14
    row = made(driver, context, admin)
    assert health(driver, admin, row)[0] == "HEALTHY"
    old = authority.References.of(row)
    authority.generate(row, admin).apply(row)
    row.save()
    authority.delete(old, row, admin)
    assert health(driver, admin, row)[0] == "HEALTHY"


def test_a_deleted_cluster_is_not_served(driver, conf, context, admin, servers):
    row = made(driver, context, admin)
    row.status = "DELETE_IN_PROGRESS"
    row.save()
    driver.delete_cluster(context, row)
    driver.update_cluster_status(admin, rows.again(admin, row))
    client.CLIENTS.keep_only([])
    with pytest.raises(KubernetesError, match="refused"):
        client.KubernetesAPI(admin, row).get_healthz()


def test_the_nodes_follow_a_resize(driver, context, admin):
    row = made(driver, context, admin)
    worker = row.default_ng_worker
    worker.node_count = 4
    worker.save()
    assert len(health(driver, admin, row)[1]) == 6
