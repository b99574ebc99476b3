"""A driver that needs no cloud: for trials, demonstrations and tests."""

from __future__ import annotations

from typing import Any, ClassVar

from magnumlite import objects
from magnumlite.conf import CONF
from magnumlite.context import make_admin_context
from magnumlite.drivers.base import Driver
from magnumlite.drivers.k8s_monitor import K8sMonitor
from magnumlite.drivers.simulated.apiserver import SERVERS
from magnumlite.drivers.simulated.marker import Marker
from magnumlite.drivers.simulated.script import Script


class SimulatedDriver(Driver):
    """Pretends every operation; see Script for what it can be told.

    It is beta: chosen only when the template names it, or when [drivers]enabled_beta_drivers does.
    """

    beta: ClassVar[bool] = True

    @property
    def provides(self) -> list[dict[str, str]]:
        """Return the one kind that no real driver has."""
        return [{"server_type": "vm", "os": "simulated-os", "coe": "kubernetes"}]

    # Operations

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: int | None) -> Any:
        """Pretend to create the cluster."""
        self._start("create", cluster)

    def update_cluster(
        self, context: Any, cluster: Any, scale_manager: Any = None, rollback: bool = False
    ) -> Any:
        """Pretend to change the cluster."""
        self._start("update", cluster)

    def pre_delete_cluster(self, context: Any, cluster: Any) -> Any:
        """Pretend to remove what the cluster made in the cloud."""
        Script.of(cluster).play("pre_delete")

    def delete_cluster(self, context: Any, cluster: Any) -> Any:
        """Pretend to delete the cluster."""
        self._start("delete", cluster)

    def resize_cluster(
        self,
        context: Any,
        cluster: Any,
        resize_manager: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any = None,
    ) -> Any:
        """Pretend to bring the nodegroup to its new size."""
        self._start("resize", cluster, nodegroup)

    def upgrade_cluster(
        self,
        context: Any,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        scale_manager: Any = None,
        rollback: bool = False,
    ) -> Any:
        """Pretend to upgrade; what template it now has is for the conductor to record."""
        self._start("upgrade", cluster, nodegroup)

    def create_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Pretend to create the nodegroup."""
        self._start("nodegroup_create", cluster, nodegroup)
        nodegroup.stack_id = Marker.parse(cluster.stack_id).name

    def update_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Pretend to change the nodegroup."""
        self._start("nodegroup_update", cluster, nodegroup)

    def delete_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Pretend to delete the nodegroup."""
        self._start("nodegroup_delete", cluster, nodegroup)

    def rotate_ca_certificate(self, context: Any, cluster: Any) -> Any:
        """Pretend to roll out new certificate authorities."""
        self._start("rotate_ca", cluster)

    def rotate_credential(self, context: Any, cluster: Any) -> Any:
        """Pretend to give the cluster new credentials; over when the call returns."""
        Script.of(cluster).play("rotate_credential")

    def create_federation(self, context: Any, federation: Any) -> Any:
        """Do nothing: federations are rows only."""

    def update_federation(self, context: Any, federation: Any) -> Any:
        """Do nothing: federations are rows only."""

    def delete_federation(self, context: Any, federation: Any) -> Any:
        """Do nothing: federations are rows only."""

    @staticmethod
    def _start(operation: str, cluster: Any, nodegroup: Any = None) -> None:
        """Play the call, then write down when the operation began.

        That one field is saved through an object of its own: `cluster` may carry changes that
        the conductor saves only when the driver has accepted.
        """
        Script.of(cluster, nodegroup).play(operation)
        cluster.stack_id = str(Marker.parse(cluster.stack_id).begin(operation))
        row = objects.Cluster.get_by_uuid(make_admin_context(all_tenants=True), cluster.uuid)
        row.stack_id = cluster.stack_id
        row.save()

    # Polling

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        """Settle the cluster and its nodegroups when the operation is over, and save them.

        Nothing happens while create_cluster has not returned: the row has no stack_id then.
        """
        script = Script.of(cluster)
        script.play("poll")
        prefix, _, state = (cluster.status or "").partition("_")
        if state != "IN_PROGRESS" or not cluster.stack_id:
            return
        marker = Marker.parse(cluster.stack_id)
        if not marker.over(script.delay):
            return
        operation = marker.operation or prefix.lower()
        failed = script.ends_in_failure(operation)
        for nodegroup in cluster.nodegroups:
            told = Script.of(cluster, nodegroup).ends_in_failure(operation)
            self._settle(nodegroup, failed or told)
        cluster.status = f"{prefix}_{'FAILED' if failed else 'COMPLETE'}"
        cluster.status_reason = f"simulated: {operation} was told to fail late" if failed else None
        cluster.stack_id = str(marker.end())
        if prefix == "DELETE" and not failed:
            SERVERS.stop(cluster.uuid)
        elif not failed:
            cluster.coe_version = CONF.simulated.coe_version
            cluster.api_address = SERVERS.address(context, cluster)
        cluster.save()

    @staticmethod
    def _settle(nodegroup: Any, failed: bool) -> None:
        prefix, _, state = (nodegroup.status or "").partition("_")
        if state != "IN_PROGRESS":
            return
        if prefix == "DELETE" and not failed and not nodegroup.is_default:
            nodegroup.destroy()
            return
        nodegroup.status = f"{prefix}_{'FAILED' if failed else 'COMPLETE'}"
        nodegroup.status_reason = "simulated: was told to fail late" if failed else None
        net = 1 if nodegroup.role == "master" else 2
        nodegroup.node_addresses = [
            f"10.{net}.{host // 250}.{host % 250 + 1}" for host in range(nodegroup.node_count)
        ]
        nodegroup.save()

    # Capabilities

    def get_monitor(self, context: Any, cluster: Any) -> Any:
        """Return the monitor of the cluster's small API, which is started if it is not running."""
        if not CONF.simulated.kubernetes_api:
            return None
        SERVERS.ensure(context, cluster)
        return K8sMonitor(context, cluster)

    def validate_master_resize(self, node_count: int) -> None:
        """Accept what a new cluster could have."""
        self.validate_master_size(node_count)
