"""Networks, subnets and floating IPs by name or id."""

from types import SimpleNamespace

import pytest

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.openstack import neutron
from tests.servers.keystone import Keystone

ID = "1c0d9e5e-1b0c-4f0c-9a5e-0c4f1b0c9a5e"
CLUSTER = SimpleNamespace(uuid="11111111-2222-4333-8444-555555555555")


@pytest.fixture
def context(cloud: Keystone) -> magnum_context.RequestContext:
    cloud.content = {
        "networks": [
            {"id": "n1", "name": "public", "router:external": True},
            {"id": ID, "name": "private", "router:external": False},
            {"id": "n3", "name": "twice", "router:external": False},
            {"id": "n4", "name": "twice", "router:external": False},
        ],
        "subnets": [
            {"id": "s1", "name": "subnet"},
            {"id": "s2", "name": "twice"},
            {"id": "s3", "name": "twice"},
        ],
        "floatingips": [],
    }
    return magnum_context.make_admin_context()


def test_external_network(context: magnum_context.RequestContext) -> None:
    assert neutron.get_external_network_id(context, "public") == "n1"
    assert neutron.get_external_network_id(context, ID) == ID
    for absent in ("private", None):
        with pytest.raises(exception.ExternalNetworkNotFound):
            neutron.get_external_network_id(context, absent)


def test_fixed_network(context: magnum_context.RequestContext) -> None:
    assert neutron.get_fixed_network_name(context, ID) == "private"
    assert neutron.get_fixed_network_name(context, "any") == "any"
    by_name = {"source": "name", "target": "id", "external": False}
    assert neutron.get_network(context, "private", **by_name) == ID
    with pytest.raises(exception.FixedNetworkNotFound):
        neutron.get_network(context, "public", **by_name)
    with pytest.raises(exception.Conflict, match="twice"):
        neutron.get_network(context, "twice", **by_name)


def test_fixed_subnet(context: magnum_context.RequestContext) -> None:
    assert neutron.get_fixed_subnet_id(context, "subnet") == "s1"
    assert neutron.get_fixed_subnet_id(context, ID) == ID
    assert neutron.get_fixed_subnet_id(context, None) is None
    with pytest.raises(exception.FixedSubnetNotFound):
        neutron.get_fixed_subnet_id(context, "other")
    with pytest.raises(exception.Conflict, match="twice"):
        neutron.get_fixed_subnet_id(context, "twice")


def floating_ip(description: str | None) -> dict[str, str | None]:
    return {"id": "f1", "port_id": "p1", "description": description}


@pytest.mark.parametrize(
    ("description", "left"),
    [
        (f"Floating IP for Kubernetes external service a/b from cluster {CLUSTER.uuid}", 0),
        (f"Floating IP for Kubernetes external service a/b from cluster {CLUSTER.uuid}0", 1),
        (f"for Kubernetes external service a/b from cluster {CLUSTER.uuid}", 1),
        (None, 1),
    ],
)
def test_only_the_clusters_own_floating_ip_is_deleted(
    cloud: Keystone, context: magnum_context.RequestContext, description: str | None, left: int
) -> None:
    cloud.content["floatingips"] = [floating_ip(description)]
    neutron.delete_floatingip(context, "p1", CLUSTER)
    assert len(cloud.content["floatingips"]) == left


def test_a_failing_neutron_names_the_cluster(
    cloud: Keystone, context: magnum_context.RequestContext
) -> None:
    del cloud.content["floatingips"]
    with pytest.raises(exception.PreDeletionFailed, match=CLUSTER.uuid):
        neutron.delete_floatingip(context, "p1", CLUSTER)
