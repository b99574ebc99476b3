"""A cluster from create to delete, by the real driver."""

import uuid
from typing import Any

import oslo_messaging
import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from magnumlite import objects
from tests.interop.capi.site import (
    EXTERNAL,
    IMAGES,
    LARGE,
    NAMESPACE,
    NETWORK,
    SUBNET,
    Site,
)
from tests.servers.keystone import PROJECT_ID, USER_ID

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

OTHER_USER = "c" * 32


def test_from_create_to_delete(site: Site) -> None:
    """One cluster through everything the driver can do; each step begins where the last ended."""
    cluster = created(site)
    healthy(site, cluster)
    resized(site, cluster)
    given_a_nodegroup(site, cluster)
    upgraded(site, cluster)
    rid_of_the_nodegroup(site, cluster)
    its_certificates_not_rotated(site, cluster)
    its_credential_rotated(site, cluster)
    deleted(site, cluster)


def created(site: Site) -> objects.Cluster:
    cluster = site.created("Mine & Co", labels={"kube_dashboard_enabled": "false"})
    name = cluster.stack_id
    assert name.startswith("mine-co-")
    # What the driver tells: an address and a version, no addresses of nodes.
    assert cluster.api_address == "https://192.0.2.10:6443"
    assert cluster.coe_version == "v1.30.1"
    assert cluster.status_reason is None
    assert {group.status for group in cluster.nodegroups} == {"CREATE_COMPLETE"}
    assert {group.stack_id for group in cluster.nodegroups} == {name}
    assert cluster.node_addresses == cluster.master_addresses == []

    (call,) = site.helm(cluster)
    assert call["arguments"] == [
        *("upgrade", name, "openstack-cluster", "--history-max", "10", "--install"),
        *("--output", "json", "--timeout", "5m", "--values", "-", "--namespace", NAMESPACE),
        *("--repo", "https://azimuth-cloud.github.io/capi-helm-charts", "--version", "0.10.1"),
        *("--kubeconfig", str(site.kubeconfig)),
    ]
    values = call["values"]
    assert values["kubernetesVersion"] == "1.30.1"
    assert values["machineImageId"] == IMAGES["1.30.1"]
    assert values["machineSSHKeyName"] == "key"
    assert values["clusterNetworking"]["externalNetworkId"] == EXTERNAL
    internal = values["clusterNetworking"]["internalNetwork"]
    assert internal["networkFilter"] == {"id": NETWORK}
    assert internal["subnetFilter"] == {"id": SUBNET}
    assert values["controlPlane"]["machineCount"] == 1
    assert values["controlPlane"]["machineFlavor"] == LARGE
    assert sizes(values) == {"default-worker": 1}
    assert values["addons"]["cni"] == {"type": "calico"}
    assert values["addons"]["kubernetesDashboard"] == {"enabled": False}
    storage = values["addons"]["openstack"]["csiCinder"]
    assert storage["defaultStorageClass"]["volumeType"] == "Fast SSD"
    assert [each["name"] for each in storage["additionalStorageClasses"]] == ["slow"]

    authorities = {kind: certificate(site, cluster, kind) for kind in ("ca", "etcd", "proxy", "sa")}
    for kind, of in (("ca", None), ("etcd", "etcd"), ("proxy", "front_proxy")):
        shown = site.api.get_ca_certificate(cluster, of)
        assert authorities[kind] == x509.load_pem_x509_certificate(shown.pem.encode())
    assert authorities["sa"].issuer == authorities["ca"].subject
    assert credential(site, cluster)["user_id"] == USER_ID
    return cluster


def healthy(site: Site, cluster: Any) -> None:
    site.until(lambda: site.row(cluster).health_status == "HEALTHY", "health")
    assert site.row(cluster).health_status_reason == {
        "cluster": "Ready",
        "infrastructure": "Ready",
        "controlplane": "Ready",
        "nodegroup": "Ready",
    }


def resized(site: Site, cluster: Any) -> None:
    worker = site.nodegroup(cluster, "default-worker")
    site.after(
        cluster,
        lambda: site.api.cluster_resize_async(site.row(cluster), 3, [], worker),
        "UPDATE_COMPLETE",
    )
    worker = site.nodegroup(cluster, "default-worker")
    assert (worker.node_count, worker.status) == (3, "UPDATE_COMPLETE")
    assert sizes(site.helm(cluster)[-1]["values"]) == {"default-worker": 3}
    assert machines(site, cluster) == {"control-plane": 1, "default-worker": 3}
    # The same by PATCH, which names no nodegroup.
    site.release(cluster).held = True
    site.after(
        cluster,
        lambda: (
            site.api.cluster_update_async(site.row(cluster), 2, None, None),
            site.until(lambda: site.row(cluster).status == "UPDATE_IN_PROGRESS", "the update"),
            site.polled(cluster, 3),
            still_in_progress(site, cluster),
        ),
        "UPDATE_COMPLETE",
    )
    assert site.nodegroup(cluster, "default-worker").node_count == 2
    assert machines(site, cluster) == {"control-plane": 1, "default-worker": 2}


def still_in_progress(site: Site, cluster: Any) -> None:
    """B34: no state is final before the machines are."""
    assert site.row(cluster).status == "UPDATE_IN_PROGRESS"
    site.release(cluster).held = False


def given_a_nodegroup(site: Site, cluster: Any) -> None:
    nodegroup = objects.NodeGroup(
        site.context(),
        uuid=str(uuid.uuid4()),
        name="big ones",
        cluster_id=cluster.uuid,
        project_id=PROJECT_ID,
        flavor_id=LARGE,
        image_id=IMAGES["1.30.1"],
        node_count=2,
        min_node_count=1,
        role="worker",
        is_default=False,
        labels={},
    )
    site.after(
        cluster,
        lambda: site.api.nodegroup_create_async(site.row(cluster), nodegroup),
        "UPDATE_COMPLETE",
    )
    assert site.nodegroup(cluster, "big ones").status == "CREATE_COMPLETE"
    assert sizes(site.helm(cluster)[-1]["values"]) == {"default-worker": 2, "big-ones": 2}
    assert machines(site, cluster) == {"control-plane": 1, "default-worker": 2, "big-ones": 2}


def upgraded(site: Site, cluster: Any) -> None:
    template = site.template("1.31.2")
    found = site.after(
        cluster,
        lambda: site.api.cluster_upgrade(site.row(cluster), template, 1, None),
        "UPDATE_COMPLETE",
    )
    assert found.cluster_template_id == template.uuid
    assert found.coe_version == "v1.31.2"
    assert {group.status for group in found.nodegroups} == {"UPDATE_COMPLETE"}
    values = site.helm(cluster)[-1]["values"]
    assert values["kubernetesVersion"] == "1.31.2"
    assert values["machineImageId"] == IMAGES["1.31.2"]
    assert versions(site, cluster) == {"v1.31.2"}


def rid_of_the_nodegroup(site: Site, cluster: Any) -> None:
    nodegroup = site.nodegroup(cluster, "big ones")
    found = site.after(
        cluster,
        lambda: site.api.nodegroup_delete_async(site.row(cluster), nodegroup),
        "UPDATE_COMPLETE",
    )
    assert sorted(group.name for group in found.nodegroups) == ["default-master", "default-worker"]
    assert sizes(site.helm(cluster)[-1]["values"]) == {"default-worker": 2}
    assert machines(site, cluster) == {"control-plane": 1, "default-worker": 2}


def its_certificates_not_rotated(site: Site, cluster: Any) -> None:
    """B01: the driver cannot, so nothing changes."""
    before = site.row(cluster)
    with pytest.raises(oslo_messaging.RemoteError) as refused:
        site.api.rotate_ca_certificate(before)
    assert refused.value.exc_type == "NotSupported"
    after = site.row(cluster)
    for field in ("ca_cert_ref", "magnum_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref"):
        assert getattr(after, field) == getattr(before, field)
    assert after.status == "UPDATE_COMPLETE"
    assert site.left(cluster)["certificates"] == 4


def its_credential_rotated(site: Site, cluster: Any) -> None:
    """A user who is not the owner rotates it and owns the cluster from then on."""
    old = credential(site, cluster)
    caller = site.api_of(OTHER_USER)
    caller.credential_rotate(site.row(cluster))
    new = credential(site, cluster)
    assert (new["id"] != old["id"], new["user_id"]) == (True, OTHER_USER)
    assert old not in site.cloud.credentials
    assert site.row(cluster).status == "UPDATE_COMPLETE"
    assert site.row(cluster).user_id == OTHER_USER


def deleted(site: Site, cluster: Any) -> None:
    last = site.row(cluster)
    assert site.left(last)["nodegroup"] == 2
    site.api.cluster_delete_async(cluster.uuid)
    site.gone(last)
    assert site.helm(cluster)[-1]["arguments"][:2] == ["uninstall", cluster.stack_id]
    assert [(op.action, op.outcome) for op in site.operations(cluster)] == [
        ("create", "succeeded"),
        ("resize", "succeeded"),
        ("update", "succeeded"),
        ("nodegroup_create", "succeeded"),
        ("upgrade", "succeeded"),
        ("nodegroup_delete", "succeeded"),
        ("rotate_ca", "refused"),
        ("rotate_credential", "succeeded"),
        ("delete", "succeeded"),
    ]


def sizes(values: dict[str, Any]) -> dict[str, int]:
    return {group["name"]: group["machineCount"] for group in values["nodeGroups"]}


def machines(site: Site, cluster: Any) -> dict[str, int]:
    """Count the machines of a cluster by what they belong to."""
    counts: dict[str, int] = {}
    for machine in site.machines(cluster):
        group = machine["owner"].removeprefix(f"{cluster.stack_id}-")
        counts[group] = counts.get(group, 0) + 1
    return counts


def versions(site: Site, cluster: Any) -> set[str]:
    return {machine["spec"]["version"] for machine in site.machines(cluster)}


def certificate(site: Site, cluster: Any, kind: str) -> x509.Certificate:
    """Return a certificate that the management cluster was given; its key fits."""
    secret = site.management.objects.secret(NAMESPACE, f"{cluster.stack_id}-{kind}")
    found = x509.load_pem_x509_certificate(secret["tls.crt"].encode())
    key = serialization.load_pem_private_key(secret["tls.key"].encode(), password=None)
    assert key.public_key() == found.public_key()
    return found


def credential(site: Site, cluster: Any) -> dict[str, Any]:
    """Return the application credential that the management cluster uses, as Keystone has it."""
    secret = site.management.objects.secret(NAMESPACE, f"{cluster.stack_id}-cloud-credentials")
    cloud = yaml.safe_load(secret["clouds.yaml"])["clouds"]["openstack"]
    assert cloud["region_name"] == "RegionOne"
    assert cloud["auth"]["auth_url"] == site.cloud.auth_url
    ident = cloud["auth"]["application_credential_id"]
    (found,) = [each for each in site.cloud.credentials if each["id"] == ident]
    return found
