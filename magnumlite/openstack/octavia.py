"""Load balancers that a cluster made for its own services.

Driver packages see this module as magnum.common.octavia (contract/conductor_utils.md).
"""

import re
import time
from collections.abc import Iterable
from typing import Any

from oslo_log import log

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.openstack import neutron
from magnumlite.openstack.clients import OpenStackClients

LOG = log.getLogger(__name__)

_GOING = ("PENDING_DELETE", "DELETED")
_POLL = 1.0  # seconds


def wait_for_lb_deleted(octavia_client: Any, deleted_lbs: Iterable[str]) -> None:
    """Return when none of the load balancers is listed any more; DELETED counts as gone.

    Raises:
        Exception: some are still there after [cluster]pre_delete_lb_timeout seconds.
    """
    limit = CONF.cluster.pre_delete_lb_timeout
    deadline = time.monotonic() + limit
    waiting = set(deleted_lbs)
    while waiting:
        there = {
            lb.id for lb in octavia_client.load_balancers() if lb.provisioning_status != "DELETED"
        }
        waiting &= there
        if not waiting:
            return
        if time.monotonic() >= deadline:
            raise Exception(
                f"Load balancers {', '.join(sorted(waiting))} are not deleted after {limit} s"
            )
        time.sleep(_POLL)


def _delete_loadbalancers(
    context: Any,
    lbs: Iterable[Any],
    cluster: Any,
    octavia_client: Any,
    remove_fip: bool = False,
    cascade: bool = True,
) -> set[str]:
    """Ask for deletion of those not being deleted yet; return their ids.

    With remove_fip their floating IPs go too, by `context` (see neutron.delete_floatingip).
    """
    deleted = set()
    for lb in lbs:
        if lb.provisioning_status in _GOING:
            continue
        LOG.info("Deleting load balancer %s of cluster %s.", lb.id, cluster.uuid)
        octavia_client.delete_load_balancer(lb.id, cascade=cascade)
        deleted.add(lb.id)
        if remove_fip:
            neutron.delete_floatingip(context, lb.vip_port_id, cluster)
    return deleted


def delete_loadbalancers(context: Any, cluster: Any) -> None:
    """Delete the load balancers that Kubernetes made in this cluster, with their floating IPs.

    Those `context` sees whose description starts with
    "Kubernetes <something> from cluster <uuid>". Returns when they are gone.

    Raises:
        PreDeletionFailed: for whatever goes wrong.
    """
    made_by_it = re.compile(rf"Kubernetes .+ from cluster {re.escape(cluster.uuid)}")
    try:
        client = OpenStackClients(context).octavia()
        candidates = [
            lb for lb in client.load_balancers() if made_by_it.match(lb.description or "")
        ]
        if not candidates:
            return
        # Octavia may let only an admin delete what its own policy protects.
        admin = OpenStackClients(magnum_context.make_admin_context(all_tenants=True)).octavia()
        deleted = _delete_loadbalancers(context, candidates, cluster, admin, remove_fip=True)
        if deleted:
            wait_for_lb_deleted(client, deleted)
    except Exception as error:
        raise exception.PreDeletionFailed(cluster_uuid=cluster.uuid, msg=str(error)) from error
