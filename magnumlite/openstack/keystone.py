"""Keystone for one context.

Driver packages see this module as magnum.common.keystone (contract/conductor_utils.md).
"""

from typing import Any

from oslo_log import log

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.i18n import _
from magnumlite.openstack import sessions

LOG = log.getLogger(__name__)


class KeystoneClientV3:
    """Who the context is to Keystone: its session, its token and the identity proxy."""

    def __init__(self, context: Any) -> None:
        self.context = context

    @property
    def auth_url(self) -> str:
        """Keystone's URL; raises as sessions.auth_url."""
        return sessions.auth_url()

    @property
    def auth_token(self) -> str:
        """A token of the context's user.

        Raises:
            AuthorizationFailure: its text tells what is wrong.
        """
        with sessions.telling("keystone"):
            return str(self.session.get_token())

    @property
    def session(self) -> Any:
        """The keystoneauth session; raises as sessions.access."""
        return sessions.access(self.context).session

    @property
    def client(self) -> Any:
        """The identity proxy of openstacksdk.

        Raises:
            AuthorizationFailure: its text tells what is wrong.
        """
        return sessions.access(self.context).proxy("keystone", "identity")

    def get_validate_region_name(self, region_name: str | None) -> str:
        """Return the region's name when Keystone knows it.

        Raises:
            InvalidParameterValue: no name, or one that Keystone does not know.
            RegionsListFailed: Keystone does not tell its regions.
        """
        if region_name is None:
            raise exception.InvalidParameterValue(
                _("region_name needs to be configured in magnum.conf")
            )
        try:
            known = {region.id for region in self.client.regions()}
        except Exception as error:
            LOG.exception("Keystone does not list its regions.")
            raise exception.RegionsListFailed() from error
        if region_name not in known:
            raise exception.InvalidParameterValue(
                _("region_name %(name)s is invalid, expecting a region name in %(known)s")
                % {"name": region_name, "known": ", ".join(sorted(known))}
            )
        return region_name


def is_octavia_enabled() -> bool:
    """Whether the catalogue has a load balancer service that is enabled.

    Raises:
        ServicesListFailed: Keystone does not tell its services.
    """
    client = KeystoneClientV3(magnum_context.make_admin_context())
    try:
        for service in client.client.services(type="load-balancer"):
            return bool(service.is_enabled)
    except Exception as error:
        LOG.exception("Keystone does not list its services.")
        raise exception.ServicesListFailed() from error
    return False
