"""Volume types."""

from collections.abc import Callable

import pytest
from oslo_config import cfg

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.openstack import cinder
from tests.servers.keystone import Keystone


@pytest.mark.parametrize(
    ("option", "function"),
    [
        ("default_docker_volume_type", cinder.get_default_docker_volume_type),
        ("default_boot_volume_type", cinder.get_default_boot_volume_type),
        ("default_etcd_volume_type", cinder.get_default_etcd_volume_type),
    ],
)
def test_the_option_or_the_first_type(
    cloud: Keystone, conf: cfg.ConfigOpts, option: str, function: Callable[[object], str]
) -> None:
    context = magnum_context.make_admin_context()
    cloud.content["types"] = [{"id": "1", "name": "lvm"}, {"id": "2", "name": "ceph"}]
    assert function(context) == "lvm"
    cloud.content["types"] = []
    with pytest.raises(exception.VolumeTypeNotFound):
        function(context)
    conf.set_override(option, "fast", "cinder")
    assert function(context) == "fast"
