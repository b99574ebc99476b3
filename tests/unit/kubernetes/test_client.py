import os
import threading

import pytest

from magnumlite.kubernetes import client, memfile
from magnumlite.kubernetes.client import Clients, KubernetesAPI, KubernetesError
from tests.unit.kubernetes.apiserver import NODES, cluster, serving


@pytest.fixture(autouse=True)
def own_clients(monkeypatch):
    clients = Clients()
    monkeypatch.setattr(client, "CLIENTS", clients)
    yield clients
    clients.keep_only([])


def test_steady_state_reads_no_certificate_and_shakes_no_hands(conf, pki, reads):
    # B42, B12
    with serving(pki.server_context()) as server:
        for _ in range(10):
            api = KubernetesAPI(None, cluster(server.url))
            assert api.get_healthz() == "ok"
            assert api.list_node() == NODES
        assert (server.accepted, server.handshakes, server.resumed) == (1, 1, 0)
        assert reads == ["ca-1", "client-1"]
        assert len(server.requests) == 20


def test_rotation_makes_a_new_connection(conf, pki, reads):
    # B14
    with serving(pki.server_context()) as server:
        KubernetesAPI(None, cluster(server.url)).get_healthz()
        rotated = cluster(server.url, ca_cert_ref="ca-2", magnum_cert_ref="client-2")
        KubernetesAPI(None, rotated).get_healthz()
        assert reads == ["ca-1", "client-1", "ca-2", "client-2"]
        assert (server.accepted, server.handshakes, server.resumed) == (2, 2, 0)
        assert len(client.CLIENTS) == 1


def test_a_forgotten_cluster_is_closed(conf, pki, reads, own_clients):
    with serving(pki.server_context()) as server:
        KubernetesAPI(None, cluster(server.url)).get_healthz()
        before = len(os.listdir("/proc/self/fd"))
        own_clients.keep_only(["another"])
        assert len(own_clients) == 0
        assert len(os.listdir("/proc/self/fd")) < before
        own_clients.forget("unknown")


def test_at_most_so_many_stay_open_and_a_closed_one_needs_no_certificates(conf, pki, reads):
    clients = Clients(most_open=2)
    with serving(pki.server_context()) as server:
        for _ in range(2):
            for number in range(4):
                one = cluster(server.url, uuid=str(number))
                assert clients.connection(None, one).get("/healthz").status == 200
        opened = [c for _, c in clients._kept.values() if c._http is not None]
        assert len(opened) == 2
        assert len(reads) == 8
        assert server.handshakes == 4
        assert server.resumed == 4
    clients.keep_only([])


def test_the_cap_is_half_of_the_descriptors(monkeypatch):
    monkeypatch.setattr(client.resource, "getrlimit", lambda which: (1024, 4096))
    assert client._half_of_descriptors() == 512
    infinity = client.resource.RLIM_INFINITY
    monkeypatch.setattr(client.resource, "getrlimit", lambda which: (infinity, infinity))
    assert client._half_of_descriptors() > 1000


def test_no_key_touches_the_disk(conf, pki, reads, tmp_path, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    conf.set_override("temp_cache_dir", str(tmp_path / "absent"), "cluster")
    with serving(pki.server_context()) as server:
        KubernetesAPI(None, cluster(server.url)).get_healthz()
    assert list(tmp_path.iterdir()) == []


def test_the_cache_directory_is_used_when_it_exists(conf, pki, reads, tmp_path):
    conf.set_override("temp_cache_dir", str(tmp_path), "cluster")
    with serving(pki.server_context()) as server:
        one = cluster(server.url)
        KubernetesAPI(None, one).get_healthz()
        assert {"ca.crt", "client.key", "client.crt"} <= {
            each.name for each in (tmp_path / one.uuid).iterdir()
        }


def test_a_memfile_is_gone_after_the_block():
    with memfile.memfile(b"secret") as path, open(path, "rb") as file:
        assert file.read() == b"secret"
    assert not os.path.exists(path)


@pytest.mark.parametrize(
    ("status", "body", "shown"),
    [
        ("401 Unauthorized", b'{"kind": "Status", "message": "who are you"}', "who are you"),
        ("403 Forbidden", b"forbidden", "forbidden"),
        ("500 Internal Server Error", b"[+]ping ok\n[-]etcd failed", "etcd failed"),
        ("503 Service Unavailable", b"[1]", "503"),
        ("302 Found", b"", "302"),
    ],
)
def test_a_refusal_tells_status_and_text(conf, status, body, shown):
    with serving(None) as server:
        server.answers["/healthz"] = (status, body)
        with pytest.raises(KubernetesError, match=f"HTTP {status[:3]}") as caught:
            KubernetesAPI(None, cluster(server.url)).get_healthz()
        assert shown in caught.value.message


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b"{}", b'{"items": 3}', b"[" * 100000])
def test_bad_json(conf, body):
    with serving(None) as server:
        server.answers["/api/v1/nodes"] = ("200 OK", body)
        with pytest.raises(KubernetesError, match="not a list in JSON"):
            KubernetesAPI(None, cluster(server.url)).list_node()


def test_pods_of_a_namespace(conf):
    with serving(None) as server:
        server.answers["/api/v1/namespaces/kube-system/pods"] = ("200 OK", b'{"items": []}')
        api = KubernetesAPI(None, cluster(server.url))
        assert api.list_namespaced_pod("kube-system") == {"items": []}


def test_a_certificate_store_that_is_down_is_not_the_clusters_fault(conf, monkeypatch):
    from magnumlite import exception
    from magnumlite.certs import authority

    def down(*args):
        raise exception.CertificateStorageException(msg="down")

    monkeypatch.setattr(authority, "ca_certificate", down)
    with pytest.raises(exception.CertificateStorageException):
        KubernetesAPI(None, cluster("https://127.0.0.1:6443"))


def test_many_threads_share_one_connection(conf, pki, reads):
    with serving(pki.server_context()) as server:
        KubernetesAPI(None, cluster(server.url)).get_healthz()
        results = []

        def ask():
            api = KubernetesAPI(None, cluster(server.url))
            results.extend(api.get_healthz() for _ in range(5))

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == ["ok"] * 40
        assert server.accepted == 1
