"""What drivers ask Keystone itself."""

import pytest

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.openstack import keystone
from tests.servers.keystone import Keystone


@pytest.fixture
def client(cloud: Keystone) -> keystone.KeystoneClientV3:
    return keystone.KeystoneClientV3(magnum_context.make_admin_context())


def test_it_knows_its_url_and_token(cloud: Keystone, client: keystone.KeystoneClientV3) -> None:
    assert client.auth_url == cloud.auth_url
    assert client.auth_token in cloud.tokens
    assert type(client.client).__module__ == "openstack.identity.v3._proxy"


def test_regions_are_checked(cloud: Keystone, client: keystone.KeystoneClientV3) -> None:
    cloud.content["regions"] = [{"id": "one"}, {"id": "two"}]
    assert client.get_validate_region_name("two") == "two"
    with pytest.raises(exception.InvalidParameterValue, match="needs to be configured"):
        client.get_validate_region_name(None)
    with pytest.raises(exception.InvalidParameterValue, match=r"expecting .* one, two"):
        client.get_validate_region_name("three")
    del cloud.content["regions"]
    with pytest.raises(exception.RegionsListFailed):
        client.get_validate_region_name("one")


def test_octavia_is_enabled_when_its_service_is(cloud: Keystone) -> None:
    cloud.content["services"] = []
    assert keystone.is_octavia_enabled() is False
    cloud.content["services"] = [{"id": "s", "type": "load-balancer", "enabled": False}]
    assert keystone.is_octavia_enabled() is False
    cloud.content["services"] = [{"id": "s", "type": "load-balancer", "enabled": True}]
    assert keystone.is_octavia_enabled() is True
    del cloud.content["services"]
    with pytest.raises(exception.ServicesListFailed):
        keystone.is_octavia_enabled()
