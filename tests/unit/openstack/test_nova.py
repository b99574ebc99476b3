"""Key pairs."""

from magnumlite import context as magnum_context
from magnumlite.openstack import nova
from tests.servers.keystone import Keystone


def test_a_key_comes_stripped_and_an_absent_one_empty(cloud: Keystone) -> None:
    cloud.content["os-keypairs"] = [{"name": "mine", "public_key": "ssh-rsa AAAA me \n"}]
    context = magnum_context.make_admin_context()
    assert nova.get_ssh_key(context, "mine") == "ssh-rsa AAAA me"
    assert nova.get_ssh_key(context, "other") == ""
