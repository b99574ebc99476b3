"""The clients drivers ask for."""

import pytest
from keystoneauth1 import exceptions as ks
from oslo_config import cfg

from magnumlite import context as magnum_context
from magnumlite.openstack.clients import OpenStackClients
from tests.servers.keystone import Keystone


@pytest.fixture
def clients(cloud: Keystone) -> OpenStackClients:
    return OpenStackClients(magnum_context.make_admin_context())


@pytest.mark.parametrize(
    ("client", "module"),
    [
        ("octavia", "openstack.load_balancer.v2._proxy"),
        ("glance", "openstack.image.v2._proxy"),
        ("barbican", "openstack.key_manager.v1._proxy"),
        ("nova", "openstack.compute.v2._proxy"),
        ("neutron", "openstack.network.v2._proxy"),
        ("cinder", "openstack.block_storage.v3._proxy"),
    ],
)
def test_each_client_is_an_sdk_proxy_and_kept(
    clients: OpenStackClients, client: str, module: str
) -> None:
    proxy = getattr(clients, client)()
    assert type(proxy).__module__ == module
    assert getattr(clients, client)() is proxy


def test_the_endpoint_type_and_region_of_a_client_count(
    cloud: Keystone, conf: cfg.ConfigOpts, clients: OpenStackClients
) -> None:
    conf.set_override("endpoint_type", "internalURL", "neutron_client")
    conf.set_override("region_name", "RegionOne", "neutron_client")
    cloud.content["networks"] = []
    assert list(clients.neutron().networks()) == []
    internal = cloud.root.replace("127.0.0.1", "localhost")
    assert clients.neutron().get_endpoint().startswith(f"{internal}/network")


def test_url_for_is_what_the_catalogue_says(cloud: Keystone, clients: OpenStackClients) -> None:
    assert clients.url_for(service_type="network", interface="public") == f"{cloud.root}/network"
    with pytest.raises(ks.EndpointNotFound):
        clients.url_for(service_type="dns", interface="public")


def test_magnum_url_falls_back_to_the_old_service_type(
    cloud: Keystone, clients: OpenStackClients
) -> None:
    assert clients.magnum_url() == f"{cloud.root}/container-infra/v1"
    cloud.catalogue.remove("container-infra")
    clients.keystone().session.invalidate()
    with pytest.raises(ks.EndpointNotFound, match="container service"):
        clients.magnum_url()


def test_the_region_of_cinder_is_checked(
    cloud: Keystone, conf: cfg.ConfigOpts, clients: OpenStackClients
) -> None:
    cloud.content["regions"] = [{"id": "RegionOne"}]
    conf.set_override("region_name", "RegionOne", "cinder_client")
    assert clients.cinder_region_name() == "RegionOne"
