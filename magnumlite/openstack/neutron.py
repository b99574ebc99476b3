"""Networks, subnets and floating IPs.

Driver packages see this module as magnum.common.neutron (contract/conductor_utils.md).
"""

import re
from typing import Any

from oslo_log import log
from oslo_utils import uuidutils

from magnumlite import exception
from magnumlite.openstack.clients import OpenStackClients

LOG = log.getLogger(__name__)


def delete_floatingip(context: Any, fix_port_id: str, cluster: Any) -> None:
    """Delete the floating IP of a port if cloud-provider-openstack made it for this cluster.

    The first floating IP of the port counts; its description ends with
    "Floating IP for Kubernetes <something> from cluster <uuid>" then.

    Raises:
        PreDeletionFailed: for whatever goes wrong.
    """
    made_for_it = re.compile(
        rf"Floating IP for Kubernetes .+ from cluster {re.escape(cluster.uuid)}$"
    )
    try:
        client = OpenStackClients(context).neutron()
        first = next(iter(client.ips(port_id=fix_port_id)), None)
        if first is not None and made_for_it.search(first.description or ""):
            LOG.debug("Deleting floating IP %s of cluster %s.", first.id, cluster.uuid)
            client.delete_ip(first.id)
    except Exception as error:
        raise exception.PreDeletionFailed(cluster_uuid=cluster.uuid, msg=str(error)) from error


def get_network(context: Any, network: str | None, source: str, target: str, external: bool) -> Any:
    """Return attribute `target` of the one network whose attribute `source` is `network`.

    Raises:
        ExternalNetworkNotFound, FixedNetworkNotFound: none; which, depends on `external`.
        Conflict: several.
    """
    client = OpenStackClients(context).neutron()
    found = [
        each
        for each in client.networks(**{source: network, "is_router_external": external})
        if getattr(each, source) == network
    ]
    if not found:
        if external:
            raise exception.ExternalNetworkNotFound(network=network)
        raise exception.FixedNetworkNotFound(network=network)
    return _only(found, "networks", source, network, target)


def get_external_network_id(context: Any, network: str | None) -> Any:
    """Return an external network's id; an id comes back as it is. Raises as get_network."""
    if network and uuidutils.is_uuid_like(network):
        return network
    return get_network(context, network, source="name", target="id", external=True)


def get_fixed_network_name(context: Any, network: str | None) -> Any:
    """Return a tenant network's name; what is no id comes back as it is. Raises as get_network."""
    if network and uuidutils.is_uuid_like(network):
        return get_network(context, network, source="id", target="name", external=False)
    return network


def get_subnet(context: Any, subnet: str | None, source: str, target: str) -> Any:
    """Return attribute `target` of the one subnet whose attribute `source` is `subnet`.

    Raises:
        FixedSubnetNotFound: none.
        Conflict: several.
    """
    client = OpenStackClients(context).neutron()
    found = [each for each in client.subnets(**{source: subnet}) if getattr(each, source) == subnet]
    if not found:
        raise exception.FixedSubnetNotFound(subnet=subnet)
    return _only(found, "subnets", source, subnet, target)


def get_fixed_subnet_id(context: Any, subnet: str | None) -> Any:
    """Return a subnet's id; an id, or nothing, comes back as it is. Raises as get_subnet."""
    if subnet and not uuidutils.is_uuid_like(subnet):
        return get_subnet(context, subnet, source="name", target="id")
    return subnet


def _only(found: list[Any], what: str, source: str, value: str | None, target: str) -> Any:
    if len(found) > 1:
        raise exception.Conflict(
            f"Multiple {what} exist with {source} '{value}'. Use the {what[:-1]} ID instead."
        )
    return getattr(found[0], target)
