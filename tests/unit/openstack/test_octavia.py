"""Deleting the load balancers a cluster made."""

from types import SimpleNamespace

import pytest
from oslo_config import cfg

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.openstack import octavia
from magnumlite.openstack.clients import OpenStackClients
from tests.servers.keystone import Keystone

CLUSTER = SimpleNamespace(uuid="11111111-2222-4333-8444-555555555555")


def balancer(ident: str, description: str, status: str = "ACTIVE") -> dict[str, str]:
    return {
        "id": ident,
        "description": description,
        "provisioning_status": status,
        "vip_port_id": f"port-{ident}",
    }


@pytest.fixture
def context(cloud: Keystone) -> magnum_context.RequestContext:
    cloud.content = {"floatingips": []}
    return magnum_context.RequestContext(auth_token=cloud.issue(), is_admin=False)


def test_the_clusters_own_go_and_the_others_stay(
    cloud: Keystone, context: magnum_context.RequestContext
) -> None:
    ours = f"Kubernetes external service a/b from cluster {CLUSTER.uuid}"
    cloud.content["loadbalancers"] = [
        balancer("ours", ours),
        balancer("other", "Kubernetes external service a/b from cluster other"),
        balancer("by-hand", f"not {ours}"),
    ]
    cloud.content["floatingips"] = [
        {"id": "f", "port_id": "port-ours", "description": f"Floating IP for {ours}"}
    ]
    octavia.delete_loadbalancers(context, CLUSTER)
    assert [lb["id"] for lb in cloud.content["loadbalancers"]] == ["other", "by-hand"]
    assert cloud.content["floatingips"] == []
    assert ("DELETE", "/load-balancer/v2.0/lbaas/loadbalancers/ours?cascade=True") in cloud.requests


def test_those_on_their_way_out_are_not_deleted_again(
    cloud: Keystone, context: magnum_context.RequestContext
) -> None:
    client = OpenStackClients(context).octavia()
    cloud.content["loadbalancers"] = [
        balancer("a", "", "PENDING_DELETE"),
        balancer("b", "", "DELETED"),
        balancer("c", "", "ERROR"),
    ]
    found = list(client.load_balancers())
    assert octavia._delete_loadbalancers(context, found, CLUSTER, client) == {"c"}


def test_waiting_ends_when_they_are_gone_or_deleted(
    cloud: Keystone, context: magnum_context.RequestContext, conf: cfg.ConfigOpts
) -> None:
    client = OpenStackClients(context).octavia()
    cloud.content["loadbalancers"] = [balancer("a", "", "DELETED"), balancer("b", "")]
    octavia.wait_for_lb_deleted(client, {"a", "gone"})
    conf.set_override("pre_delete_lb_timeout", 0, "cluster")
    with pytest.raises(Exception, match="Load balancers b are not deleted after 0 s"):
        octavia.wait_for_lb_deleted(client, {"a", "b"})


def test_a_failing_octavia_names_the_cluster(
    cloud: Keystone, context: magnum_context.RequestContext
) -> None:
    with pytest.raises(exception.PreDeletionFailed, match=CLUSTER.uuid):
        octavia.delete_loadbalancers(context, CLUSTER)
