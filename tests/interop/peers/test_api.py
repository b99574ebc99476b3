"""The real magnum-api and python-magnumclient, with our conductor behind them.

Each test runs at magnum-api, whose database access goes through the conductor, and at
magnum.wsgi.api, which has its own.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.interop.peers.cloud import PROJECTS
from tests.interop.peers.deployment import Deployment, User, ca, refused
from tests.servers import daemon

REFERENCES = ("ca_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref", "magnum_cert_ref")
NOBODY = "00000000-0000-4000-8000-00000000dead"

#: Labels of a cluster whose own healer reports its health: the conductor does not judge it.
HEALED = {"auto_healing_enabled": "true", "auto_healing_controller": "magnum-auto-healer"}


def new(user: User, template: Any, **values: Any) -> str:
    """Return a complete cluster of a test's own."""
    uuid = user.create("own", template, **values)
    user.wait(uuid, "CREATE_COMPLETE")
    return uuid


def references(deployment: Deployment, uuid: str) -> list[str]:
    (row,) = deployment.rows("SELECT * FROM cluster WHERE uuid = %s", uuid)
    return [row[name] for name in REFERENCES]


def stored(deployment: Deployment, found: list[str]) -> int:
    return len(deployment.rows("SELECT uuid FROM x509keypair WHERE uuid IN %s", found))


def replace(path: str, value: Any) -> list[dict[str, Any]]:
    return [{"op": "replace", "path": path, "value": value}]


def test_a_cluster_from_its_template_to_its_end(demo: User, deployment: Deployment) -> None:
    client = demo.magnum
    template, newer = demo.template("life"), demo.template("life-2")
    client.cluster_templates.update(template.uuid, replace("/dns_nameserver", "9.9.9.9"))
    assert client.cluster_templates.get(template.uuid).dns_nameserver == "9.9.9.9"
    assert template.uuid in [found.uuid for found in client.cluster_templates.list()]

    uuid = demo.create("life", template, labels=HEALED)
    row = demo.wait(uuid, "CREATE_COMPLETE")
    assert (row["node_count"], row["master_count"]) == (2, 1)
    assert len(row["node_addresses"]) == 2
    assert uuid in [found.uuid for found in client.clusters.list()]

    client.clusters.resize(uuid, 3, nodes_to_remove=["a"])
    demo.wait(uuid, "UPDATE_IN_PROGRESS", "UPDATE_COMPLETE")
    row = demo.wait(uuid, "UPDATE_COMPLETE")
    assert row["node_count"] == 3
    client.clusters.update(uuid, replace("/node_count", 1))
    assert daemon.wait(lambda: demo.show(uuid)["node_count"] == 1, 60)
    demo.wait(uuid, "UPDATE_COMPLETE")
    client.clusters.update(uuid, replace("/health_status", "HEALTHY"))
    assert daemon.wait(lambda: demo.show(uuid)["health_status"] == "HEALTHY", 60)

    before, old = ca(demo, uuid), references(deployment, uuid)
    assert demo.raw("PATCH", f"certificates/{uuid}")[0] == 202
    demo.wait(uuid, "UPDATE_COMPLETE")
    assert ca(demo, uuid) != before
    assert stored(deployment, old) == 0

    client.credentials.update(uuid)
    client.clusters.upgrade(uuid, newer.uuid)
    row = demo.wait(uuid, "UPDATE_COMPLETE")
    assert row["cluster_template_id"] == newer.uuid
    refused(demo.raw("DELETE", f"clustertemplates/{newer.uuid}"), 400)

    last = references(deployment, uuid)
    client.clusters.delete(uuid)
    demo.wait(uuid, "gone")
    assert stored(deployment, last) == 0
    groups = "SELECT uuid FROM nodegroup WHERE cluster_id = %s"
    assert daemon.wait(lambda: not deployment.rows(groups, uuid), 60)
    assert deployment.driver_calls(uuid) == [
        "create",
        "resize",
        "update",
        "rotate_ca",
        "rotate_credential",
        "upgrade",
        "delete",
    ]
    for made in (template, newer):
        client.cluster_templates.delete(made.uuid)


def test_nodegroups(demo: User, template: Any) -> None:
    client, uuid = demo.magnum, new(demo, template, node_count=1)

    def group(name: str) -> dict[str, Any]:
        status, body = demo.raw("GET", f"clusters/{uuid}/nodegroups/{name}")
        return body if status == 200 else {"status": "gone"}

    def settled(name: str, status: str) -> dict[str, Any]:
        assert daemon.wait(lambda: group(name)["status"] == status, 60, 0.2), group(name)
        return group(name)

    assert {found.name for found in client.nodegroups.list(uuid)} == {
        "default-master",
        "default-worker",
    }
    client.nodegroups.create(
        uuid,
        name="extra",
        node_count=2,
        labels={"x": "y"},
        merge_labels=True,
        node_labels={"pool": "extra"},
        node_taints=[{"key": "k", "value": "v", "effect": "NoSchedule"}],
    )
    found = settled("extra", "CREATE_COMPLETE")
    assert found["labels"] == {"a": "b", "x": "y"}
    assert found["node_labels"] == {"pool": "extra"}
    demo.wait(uuid, "UPDATE_COMPLETE")
    assert demo.show(uuid)["node_count"] == 3
    refused(demo.raw("POST", f"clusters/{uuid}/nodegroups", {"name": "extra"}), 409)

    client.nodegroups.update(uuid, "extra", replace("/max_node_count", 4))
    assert settled("extra", "UPDATE_COMPLETE")["max_node_count"] == 4
    demo.wait(uuid, "UPDATE_COMPLETE")
    client.clusters.resize(uuid, 3, nodegroup="extra")
    assert daemon.wait(lambda: group("extra")["node_count"] == 3, 60, 0.2)
    demo.wait(uuid, "UPDATE_COMPLETE")
    client.nodegroups.delete(uuid, "extra")
    settled("extra", "gone")
    demo.wait(uuid, "UPDATE_COMPLETE")

    labels = {"fail": "create_nodegroup:builtin"}
    client.nodegroups.create(uuid, name="bad", labels=labels)
    assert "on fire" in settled("bad", "CREATE_FAILED")["status_reason"]
    demo.wait(uuid, "UPDATE_FAILED")
    client.nodegroups.delete(uuid, "bad")
    settled("bad", "gone")
    client.clusters.delete(uuid)
    demo.wait(uuid, "gone")


def test_a_create_that_the_driver_refuses(demo: User, template: Any) -> None:
    uuid = demo.create("refused", template, labels={"fail": "create:builtin"})
    row = demo.wait(uuid, "CREATE_FAILED")
    assert row["status_reason"] == "the cloud is on fire"
    assert set(row["faults"].values()) == {"the cloud is on fire"}
    upgrade = {"cluster_template": template.uuid, "max_batch_size": 1}
    for request in (
        ("POST", f"clusters/{uuid}/actions/upgrade", upgrade),
        ("PATCH", f"certificates/{uuid}"),
        ("PATCH", f"credentials/{uuid}"),
    ):
        assert "CREATE_FAILED" in refused(demo.raw(*request), 400)
    demo.magnum.clusters.delete(uuid)
    demo.wait(uuid, "gone")


@pytest.mark.parametrize(
    ("kind", "code", "text"),
    [
        ("builtin", 500, "the cloud is on fire"),
        ("foreign", 500, "the cloud is on fire"),
        ("unsupported", 400, "not with this driver"),
        ("percent", 400, "100% %(full)s"),
        ("busy", 400, "the driver is busy"),
        ("clash", 409, "another stack has this name"),
    ],
)
def test_what_a_driver_raises_is_shown_with_its_code_and_without_a_traceback(
    demo: User, deployment: Deployment, template: Any, kind: str, code: int, text: str
) -> None:
    # B66
    uuid = new(demo, template, labels={"fail": f"rotate_credential:{kind}"})
    assert text in refused(demo.raw("PATCH", f"credentials/{uuid}"), code)
    assert deployment.driver_calls(uuid) == ["create", "rotate_credential"]
    demo.magnum.clusters.delete(uuid)


def test_rotation_that_the_driver_cannot_do_changes_nothing(
    demo: User, deployment: Deployment, template: Any
) -> None:
    # B01
    uuid = new(demo, template, labels={"fail": "rotate_ca:unsupported"})
    before = references(deployment, uuid)
    assert "not with this driver" in refused(demo.raw("PATCH", f"certificates/{uuid}"), 400)
    assert demo.show(uuid)["status"] == "CREATE_COMPLETE"
    assert references(deployment, uuid) == before
    assert stored(deployment, before) == 4
    demo.magnum.clusters.delete(uuid)


def test_a_resize_that_fails_restores_the_size(demo: User, template: Any) -> None:
    uuid = new(demo, template, labels={"fail": "resize:builtin"})
    demo.magnum.clusters.resize(uuid, 5)
    row = demo.wait(uuid, "UPDATE_FAILED")
    assert (row["node_count"], row["status_reason"]) == (2, "the cloud is on fire")
    demo.magnum.clusters.delete(uuid)


def test_another_project_sees_nothing(demo: User, admin: User, other: User, cluster: str) -> None:
    assert refused(other.raw("GET", f"clusters/{cluster}"), 404)
    assert refused(other.raw("DELETE", f"clusters/{cluster}"), 404)
    assert cluster not in [found.uuid for found in other.magnum.clusters.list()]
    assert admin.show(cluster)["status"] == "CREATE_COMPLETE"
    assert demo.show(cluster)["status"] == "CREATE_COMPLETE"


def test_quota(admin: User, other: User) -> None:
    admin.magnum.quotas.create(project_id=PROJECTS["other"], resource="Cluster", hard_limit=1)
    template = other.template("theirs")
    uuid = other.create("first", template)
    other.wait(uuid, "CREATE_COMPLETE")
    second = {"name": "second", "cluster_template_id": template.uuid, "keypair": "key"}
    assert "limit" in refused(other.raw("POST", "clusters", second), 403)
    admin.magnum.quotas.update(PROJECTS["other"], "Cluster", {"hard_limit": 2})
    found = [quota.hard_limit for quota in admin.magnum.quotas.list(all_tenants=True)]
    assert found == [2]
    admin.magnum.quotas.delete(PROJECTS["other"], "Cluster")
    assert admin.magnum.quotas.list(all_tenants=True) == []
    other.magnum.clusters.delete(uuid)
    other.wait(uuid, "gone")
    other.magnum.cluster_templates.delete(template.uuid)


def test_federation_is_accepted_and_nothing_comes_of_it(
    demo: User, deployment: Deployment, cluster: str
) -> None:
    body = {"name": "f", "hostcluster_id": cluster, "properties": {"dns-zone": "example.com."}}
    assert demo.raw("POST", "federations", body)[0] == 202
    log = deployment.directory / "ours" / "ours.log"
    assert daemon.wait(lambda: "federation_create refused" in log.read_text(), 60)
    assert demo.raw("GET", "federations") == (200, {"federations": []})


def test_services_and_statistics(demo: User, admin: User, cluster: str) -> None:
    refused(demo.raw("GET", "mservices"), 403)

    def up() -> list[tuple[str, str]]:
        return [(found.host, found.state) for found in admin.magnum.mservices.list()]

    assert daemon.wait(lambda: up() == [("host", "up")], 60, 0.5), up()
    status, body = demo.raw("GET", f"stats?project_id={PROJECTS['demo']}")
    assert status == 200
    assert body["clusters"] >= 1
    refused(demo.raw("GET", f"stats?project_id={PROJECTS['other']}"), 403)


def test_what_is_not_there(demo: User) -> None:
    for path in (f"clusters/{NOBODY}", f"certificates/{NOBODY}", "clusters/no-such-name"):
        refused(demo.raw("GET", path), 404)
