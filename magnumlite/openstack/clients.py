"""Clients of OpenStack services, for one context.

Driver packages see this module as magnum.common.clients (contract/conductor_utils.md).
"""

from typing import Any

from magnumlite.conf import CONF
from magnumlite.openstack import keystone, sessions


class OpenStackClients:
    """The clients of one context, made when first asked for and kept with its session.

    All but keystone() are openstacksdk proxies. Those of the services raise, while they are
    made, AuthorizationFailure with a text that tells a refused password, an unreachable
    Keystone and a service missing in the catalogue apart; later calls raise openstacksdk's own
    errors.
    """

    def __init__(self, context: Any) -> None:
        self.context = context
        self._keystone = keystone.KeystoneClientV3(context)

    def url_for(self, **kwargs: Any) -> Any:
        """Return the URL of a service; takes service_type, interface, region_name...

        Raises:
            keystoneauth1.exceptions.ClientException: as the session's get_endpoint.
        """
        return self.keystone().session.get_endpoint(**kwargs)

    def magnum_url(self) -> Any:
        """Return the URL of Magnum's own API; older clouds call the service type container."""
        from keystoneauth1.exceptions import EndpointNotFound

        where = {
            "interface": CONF.magnum_client.endpoint_type,
            "region_name": CONF.magnum_client.region_name,
        }
        try:
            return self.url_for(service_type="container-infra", **where)
        except EndpointNotFound:
            return self.url_for(service_type="container", **where)

    def cinder_region_name(self) -> str:
        """Return the region of [cinder_client]; raises as get_validate_region_name."""
        return self.keystone().get_validate_region_name(CONF.cinder_client.region_name)

    def keystone(self) -> keystone.KeystoneClientV3:
        """Return the Keystone client."""
        return self._keystone

    def octavia(self) -> Any:
        """Return the load balancer proxy."""
        return self._proxy("octavia", "load-balancer")

    def glance(self) -> Any:
        """Return the image proxy."""
        return self._proxy("glance", "image")

    def barbican(self) -> Any:
        """Return the key manager proxy."""
        return self._proxy("barbican", "key-manager")

    def nova(self) -> Any:
        """Return the compute proxy."""
        return self._proxy("nova", "compute")

    def neutron(self) -> Any:
        """Return the network proxy."""
        return self._proxy("neutron", "network")

    def cinder(self) -> Any:
        """Return the block storage proxy."""
        return self._proxy("cinder", "block-storage")

    def _proxy(self, client: str, service_type: str) -> Any:
        options = CONF[f"{client}_client"]
        return sessions.access(self.context).proxy(
            client, service_type, options.endpoint_type, options.region_name
        )
