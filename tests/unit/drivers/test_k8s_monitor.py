import json

import pytest

from magnumlite import exception
from magnumlite.certs import authority
from magnumlite.drivers.k8s_monitor import K8sMonitor
from magnumlite.kubernetes import client
from magnumlite.kubernetes.client import Clients
from tests.unit.kubernetes.apiserver import Pki, cluster, refused_port, serving
from tests.unit.kubernetes.fixtures import pki, reads  # noqa: F401


@pytest.fixture(autouse=True)
def own_clients(conf, monkeypatch):
    monkeypatch.setattr(client, "CLIENTS", Clients())
    yield
    client.CLIENTS.keep_only([])


@pytest.fixture
def server():
    with serving(None) as server:
        yield server


def poll(one):
    monitor = K8sMonitor(None, one)
    monitor.poll_health_status()
    return monitor.data.get("health_status"), monitor.data.get("health_status_reason")


def node(name, *ready, conditions=True):
    listed = [{"type": "DiskPressure", "status": "False"}]
    listed += [{"type": "Ready", "status": status} for status in ready]
    return {"metadata": {"name": name}, "status": {"conditions": listed} if conditions else {}}


HEALER = {"auto_healing_enabled": "true", "auto_healing_controller": "magnum-auto-healer"}


def test_healthy(server):
    assert poll(cluster(server.url)) == (
        "HEALTHY",
        {"node-0.Ready": True, "node-1.Ready": True, "node-2.Ready": True, "api": "ok"},
    )


def test_a_cluster_with_its_own_healer_is_left_alone(server):
    assert poll(cluster(server.url, labels=HEALER)) == (None, None)
    assert server.accepted == 0
    for name, other in [("auto_healing_enabled", "false"), ("auto_healing_controller", "draino")]:
        assert poll(cluster(server.url, labels={**HEALER, name: other}))[0] == "HEALTHY"


@pytest.mark.parametrize(
    ("fields", "accessible"),
    [
        ({"floating_ip_enabled": False}, False),
        ({"floating_ip_enabled": True}, True),
        ({"master_lb_enabled": True, "floating_ip_enabled": False}, False),
        ({"master_lb_enabled": True, "floating_ip_enabled": True}, True),
        (
            {
                "master_lb_enabled": True,
                "floating_ip_enabled": False,
                "labels": {"master_lb_floating_ip_enabled": "true"},
            },
            True,
        ),
        (
            {
                "master_lb_enabled": True,
                "floating_ip_enabled": True,
                "labels": {"master_lb_floating_ip_enabled": "false"},
            },
            False,
        ),
        ({"floating_ip_enabled": False, "labels": {"master_lb_floating_ip_enabled": "1"}}, False),
        ({"labels": None}, True),
    ],
)
def test_accessible_or_not(server, fields, accessible):
    status, reason = poll(cluster(server.url, **fields))
    if accessible:
        assert status == "HEALTHY"
    else:
        assert (status, reason) == ("UNKNOWN", {"api": "The cluster one is not accessible."})
        # No client is built: no certificate was read (contract/drivers.md says magnum reads).
        assert server.accepted == 0
        assert len(client.CLIENTS) == 0


@pytest.mark.parametrize("address", [None, ""])
def test_no_address_yet_is_no_verdict(address):
    # B39
    assert poll(cluster(address)) == (None, None)


@pytest.mark.parametrize("ready", [("False",), ("Unknown",), (), ("False", "True")])
def test_a_node_that_is_not_ready(server, ready):
    server.nodes([node("a", "True"), node("b", *ready)])
    assert poll(cluster(server.url)) == (
        "UNHEALTHY",
        {"a.Ready": True, "b.Ready": False, "api": "ok"},
    )


def test_a_node_without_conditions_is_not_ready_and_aborts_nothing(server):
    # B39
    server.nodes([node("a", conditions=False), node("b", "True")])
    assert poll(cluster(server.url)) == (
        "UNHEALTHY",
        {"a.Ready": False, "b.Ready": True, "api": "ok"},
    )


@pytest.mark.parametrize("junk", [None, 3, {}, {"metadata": {}}, {"status": {"conditions": [1]}}])
def test_a_node_of_an_odd_shape_is_not_ready(server, junk):
    server.nodes([junk])
    assert poll(cluster(server.url)) == ("UNHEALTHY", {"unnamed.Ready": False, "api": "ok"})


@pytest.mark.parametrize(("wanted", "status"), [(3, "UNHEALTHY"), (0, "HEALTHY")])
def test_zero_nodes(server, wanted, status):
    # B39
    server.nodes([])
    got, reason = poll(cluster(server.url, node_count=wanted))
    assert got == status
    assert reason["api"] == "ok"
    assert reason.get("nodes") == (f"0 of {wanted}" if wanted else None)


@pytest.mark.parametrize("text", ["", "not ok", "OK"])
def test_healthz_of_another_text(server, text):
    server.answers["/healthz"] = ("200 OK", text.encode())
    status, reason = poll(cluster(server.url))
    assert status == "UNHEALTHY"
    assert reason["api"] == text
    assert reason["node-0.Ready"] is True


@pytest.mark.parametrize(
    ("path", "status", "body", "cause"),
    [
        ("/healthz", "401 Unauthorized", b'{"message": "Unauthorized"}', "HTTP 401"),
        ("/healthz", "403 Forbidden", b"no", "HTTP 403"),
        ("/healthz", "500 Internal Server Error", b"[-]etcd failed", "etcd failed"),
        ("/api/v1/nodes", "403 Forbidden", b"no", "HTTP 403"),
        ("/api/v1/nodes", "200 OK", b"<html>", "not a list in JSON"),
    ],
)
def test_what_the_api_refuses_is_told_under_api(server, path, status, body, cause):
    # B39
    server.answers[path] = (status, body)
    got, reason = poll(cluster(server.url))
    assert got == "UNHEALTHY"
    assert list(reason) == ["api"]
    assert cause in reason["api"]
    assert path in reason["api"]


@pytest.mark.usefixtures("reads")
def test_refused():
    # B39
    status, reason = poll(cluster(f"https://127.0.0.1:{refused_port()}"))
    assert status == "UNHEALTHY"
    assert "refused" in reason["api"]


def test_silent(server, conf):
    # B39
    conf.set_override("read_timeout", 0.2, "health")
    server.answers["/healthz"] = lambda sock: None
    status, reason = poll(cluster(server.url))
    assert status == "UNHEALTHY"
    assert "no answer in time" in reason["api"]


@pytest.mark.usefixtures("reads")
def test_tls_of_a_stranger():
    with serving(Pki().server_context()) as stranger:
        status, reason = poll(cluster(stranger.url))
    assert status == "UNHEALTHY"
    assert "TLS" in reason["api"]


def test_an_address_that_cannot_be_used():
    status, reason = poll(cluster("10.0.0.1"))
    assert status == "UNHEALTHY"
    assert "10.0.0.1" in reason["api"]


def test_a_store_that_is_down_leaves_no_verdict(monkeypatch):
    def down(*args):
        raise exception.CertificateStorageException(msg="down")

    monkeypatch.setattr(authority, "ca_certificate", down)
    monitor = K8sMonitor(None, cluster("https://127.0.0.1:6443"))
    with pytest.raises(exception.CertificateStorageException):
        monitor.poll_health_status()
    assert "health_status" not in monitor.data


def test_metrics(server):
    pods = [
        {
            "spec": {
                "containers": [
                    {"resources": {"limits": {"cpu": "500m", "memory": "1Gi"}}},
                    {"resources": {}},
                    {},
                ]
            }
        },
        {"spec": {"containers": [{"resources": {"limits": {"cpu": "1"}}}]}},
    ]
    server.answers["/api/v1/namespaces/default/pods"] = (
        "200 OK",
        json.dumps({"items": pods}).encode(),
    )
    monitor = K8sMonitor(None, cluster(server.url))
    assert monitor.data == {"nodes": [], "pods": []}
    assert set(monitor.get_metric_names()) == {"memory_util", "cpu_util"}
    assert monitor.compute_metric_value("cpu_util") == 0
    monitor.pull_data()
    assert monitor.get_metric_unit("cpu_util") == "%"
    assert monitor.compute_metric_value("cpu_util") == pytest.approx(25.0)
    assert monitor.compute_metric_value("memory_util") == pytest.approx(100 / 12)
