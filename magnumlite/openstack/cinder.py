"""Volume types; driver packages see this module as magnum.common.cinder."""

from typing import Any

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.openstack.clients import OpenStackClients


def get_default_docker_volume_type(context: Any) -> str:
    """Return [cinder]default_docker_volume_type, else the first type Cinder lists.

    Raises:
        VolumeTypeNotFound: Cinder lists none.
    """
    return CONF.cinder.default_docker_volume_type or _first(context)


def get_default_boot_volume_type(context: Any) -> str:
    """Return [cinder]default_boot_volume_type, else the first Cinder lists; raises likewise."""
    return CONF.cinder.default_boot_volume_type or _first(context)


def get_default_etcd_volume_type(context: Any) -> str:
    """Return [cinder]default_etcd_volume_type, else the first Cinder lists; raises likewise."""
    return CONF.cinder.default_etcd_volume_type or _first(context)


def _first(context: Any) -> str:
    for volume_type in OpenStackClients(context).cinder().types():
        return str(volume_type.name)
    raise exception.VolumeTypeNotFound()
