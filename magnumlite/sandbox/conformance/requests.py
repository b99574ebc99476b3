"""The operations, as magnum-api asks for them, and what the rows are to show afterwards."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from magnumlite import objects
from magnumlite.rpc.client import API
from magnumlite.sandbox.caller import request

#: Name of the nodegroup that is added, changed and removed.
EXTRA = "extra"
_MOST_NODES = 5

#: Step to the driver's method and to the first part of the statuses that it goes through.
STEPS = {
    "create": ("create_cluster", "CREATE"),
    "update": ("update_cluster", "UPDATE"),
    "resize": ("resize_cluster", "UPDATE"),
    "shrink": ("resize_cluster", "UPDATE"),
    "upgrade": ("upgrade_cluster", "UPDATE"),
    "nodegroup create": ("create_nodegroup", "UPDATE"),
    "nodegroup update": ("update_nodegroup", "UPDATE"),
    "nodegroup delete": ("delete_nodegroup", "UPDATE"),
    "rotate CA": ("rotate_ca_certificate", "UPDATE"),
    "rotate credential": ("rotate_credential", ""),
    "delete": ("delete_cluster", "DELETE"),
}


@dataclass(frozen=True)
class Templates:
    """What clusters are made from, and what they are upgraded to."""

    first: Any
    second: Any


class Requests:
    """Asks for operations on one cluster and waits until the driver has accepted.

    Every method raises what the conductor answers.
    """

    def __init__(self, name: str, templates: Templates, labels: dict[str, str], patience: float):
        """Ask for nothing yet; `patience` is in seconds, for one answer."""
        self.name = name
        self.uuid = str(uuid.uuid4())
        self._templates = templates
        self._labels = labels
        self._patience = patience

    def ask(self, step: str) -> None:
        """Ask for one of STEPS."""
        asks: dict[str, Callable[[], None]] = {
            "create": self._create,
            "update": lambda: self._update(2),
            "resize": lambda: self._resize(3),
            "shrink": lambda: self._resize(2),
            "upgrade": self._upgrade,
            "nodegroup create": self._create_nodegroup,
            "nodegroup update": self._update_nodegroup,
            "nodegroup delete": lambda: self._api().nodegroup_delete(self._cluster(), self.extra()),
            "rotate CA": lambda: self._api().rotate_ca_certificate(self._cluster()),
            "rotate credential": lambda: self._api().credential_rotate(self._cluster()),
            "delete": lambda: self._api().cluster_delete(self.uuid),
        }
        asks[step]()

    def unfulfilled(self, step: str) -> list[tuple[str, Any, Any]]:
        """Return (what, asked for, found) where the rows do not show what a step asked for."""
        workers = {"create": 1, "update": 2, "resize": 3, "shrink": 2}
        if step in workers:
            asked = [("default-worker.node_count", workers[step], self._workers().node_count)]
        elif step == "upgrade":
            found = self._cluster().cluster_template_id
            asked = [("cluster.cluster_template_id", self._templates.second.uuid, found)]
        elif step == "nodegroup create":
            asked = [(f"{EXTRA}.node_count", 1, self.extra().node_count)]
        elif step == "nodegroup update":
            asked = [(f"{EXTRA}.max_node_count", _MOST_NODES, self.extra().max_node_count)]
        else:
            asked = []
        return [fact for fact in asked if fact[1] != fact[2]]

    def _api(self) -> API:
        return API(request(), timeout=int(self._patience))

    def _cluster(self) -> Any:
        return objects.Cluster.get_by_uuid(request(), self.uuid)

    def _workers(self) -> Any:
        return self._cluster().default_ng_worker

    def extra(self) -> Any:
        """Return the added nodegroup.

        Raises:
            NodeGroupNotFound: it is not there.
        """
        return objects.NodeGroup.get_by_name(request(), self.uuid, EXTRA)

    def _create(self) -> None:
        context = request()
        template = self._templates.first
        cluster = objects.Cluster(
            context,
            uuid=self.uuid,
            name=self.name,
            project_id=context.project_id,
            user_id=context.user_id,
            cluster_template_id=template.uuid,
            keypair=template.keypair_id,
            labels=dict(self._labels),
            flavor_id=template.flavor_id,
            master_flavor_id=template.master_flavor_id,
            docker_volume_size=template.docker_volume_size,
            fixed_network=template.fixed_network,
            fixed_subnet=template.fixed_subnet,
            floating_ip_enabled=template.floating_ip_enabled,
            master_lb_enabled=template.master_lb_enabled,
            create_timeout=60,
        )
        self._api().cluster_create(cluster, 1, 1, 60)

    def _update(self, nodes: int) -> None:
        cluster = self._cluster()
        self._api().cluster_update(
            cluster, nodes, cluster.health_status, cluster.health_status_reason
        )

    def _resize(self, nodes: int) -> None:
        self._api().cluster_resize(self._cluster(), nodes, [], self._workers())

    def _upgrade(self) -> None:
        self._api().cluster_upgrade(self._cluster(), self._templates.second, 1, self._workers())

    def _create_nodegroup(self) -> None:
        cluster = self._cluster()
        nodegroup = objects.NodeGroup(
            request(),
            uuid=str(uuid.uuid4()),
            name=EXTRA,
            cluster_id=cluster.uuid,
            project_id=cluster.project_id,
            labels=dict(self._labels),
            flavor_id=cluster.flavor_id,
            image_id=self._templates.first.image_id,
            docker_volume_size=cluster.docker_volume_size,
            node_count=1,
            min_node_count=0,
            max_node_count=None,
            role="worker",
            is_default=False,
        )
        self._api().nodegroup_create(cluster, nodegroup)

    def _update_nodegroup(self) -> None:
        nodegroup = self.extra()
        nodegroup.max_node_count = _MOST_NODES
        self._api().nodegroup_update(self._cluster(), nodegroup)
