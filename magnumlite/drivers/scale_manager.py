"""Scale managers: what picks the nodes to remove when a cluster shrinks.

Driver packages see this module as magnum.conductor.scale_manager (contract/drivers.md).
"""

import abc
from typing import Any

from oslo_log import log

from magnumlite import exception, objects
from magnumlite.drivers import registry
from magnumlite.i18n import _
from magnumlite.kubernetes import client

LOG = log.getLogger(__name__)


def get_scale_manager(context: Any, osclient: Any, cluster: Any) -> Any:
    """Return the scale manager that the cluster's driver gives, None when it gives none.

    Raises: as registry.for_cluster, and whatever the driver raises.
    """
    driver = registry.for_cluster(context, cluster)
    return driver.get_scale_manager(context, osclient, cluster)


class ScaleManager:
    """Picks hosts without containers; made before the new size is saved, asked when it is.

    The number of nodes is counted anew each time that it is asked for, of both objects: what it
    was is therefore kept.
    """

    def __init__(self, context: Any, osclient: Any, cluster: Any) -> None:
        self.context = context
        self.osclient = osclient
        self.old_cluster = objects.Cluster.get_by_uuid(context, cluster.uuid)
        self.new_cluster = cluster
        self._old_count = self.old_cluster.node_count

    def get_removal_nodes(self, hosts: list[str] | None) -> list[str]:
        """Return at most as many empty hosts as the cluster loses nodes; [] when it loses none.

        Fewer come back when too few are empty (warned).

        Raises:
            MagnumException: the cluster shrinks and hosts is None.
        """
        lost = self._old_count - self.new_cluster.node_count
        if lost <= 0:
            return []
        if hosts is None:
            raise exception.MagnumException(
                _("The hosts of cluster %s are not known.") % self.new_cluster.uuid
            )
        busy = self._get_hosts_with_container(self.context, self.old_cluster)
        empty = [host for host in hosts if host not in busy]
        if len(empty) < lost:
            LOG.warning(
                "Cluster %s loses %d nodes, but only %d hosts run no containers.",
                self.new_cluster.uuid, lost, len(empty),
            )  # fmt: skip
        return empty[:lost]

    @abc.abstractmethod
    def _get_hosts_with_container(self, context: Any, cluster: Any) -> set[str]:
        """Hosts that must not be removed."""


class K8sScaleManager(ScaleManager):
    """Takes hosts of pods in namespace default as busy."""

    def _get_hosts_with_container(self, context: Any, cluster: Any) -> set[str]:
        pods = client.KubernetesAPI(context, cluster).list_namespaced_pod("default")
        # A pod that waits for a place has no nodeName yet.
        return {p["spec"]["nodeName"] for p in pods["items"] if p["spec"].get("nodeName")}
