"""Key pairs; driver packages see this module as magnum.common.nova."""

from typing import Any

from oslo_log import log

from magnumlite.openstack.clients import OpenStackClients

LOG = log.getLogger(__name__)


def get_ssh_key(context: Any, keypair_ident: str) -> str:
    """Return the public key of a Nova key pair without surrounding white space.

    A key pair that is not found gives '', with a warning.
    """
    from openstack import exceptions as sdk

    try:
        keypair = OpenStackClients(context).nova().find_keypair(keypair_ident, ignore_missing=False)
    except sdk.NotFoundException:
        LOG.warning("Key pair %s is not found.", keypair_ident)
        return ""
    return str(keypair.public_key).strip()
