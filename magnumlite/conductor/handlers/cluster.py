"""Cluster create, update, delete, resize and upgrade."""

from __future__ import annotations

from typing import Any

from magnumlite import objects
from magnumlite.conductor.changes.create import Create
from magnumlite.conductor.changes.delete import Delete
from magnumlite.conductor.changes.size import Resize, Update
from magnumlite.conductor.changes.upgrade import Upgrade
from magnumlite.conductor.intake import Intake
from magnumlite.journal import claims


class ClusterHandler:
    """The cluster endpoint."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def cluster_create(
        self,
        context: Any,
        cluster: Any,
        master_count: int,
        node_count: int,
        create_timeout: int | None,
    ) -> Any:
        """Accept a new cluster.

        Raises:
            ClusterAlreadyExists: its uuid is taken; nothing changes.
        """
        change = Create(cluster, master_count, node_count, create_timeout)
        return self._intake.submit(
            context,
            change,
            "cluster_create",
            cluster=cluster,
            master_count=master_count,
            node_count=node_count,
            create_timeout=create_timeout,
        )

    def cluster_update(
        self,
        context: Any,
        cluster: Any,
        node_count: int | None,
        health_status: str | None,
        health_status_reason: dict[str, Any] | None,
        rollback: bool = False,
    ) -> Any:
        """Accept a new size of the default workers, or save a reported health.

        What needs no driver is done here and leaves no row, unless operations wait whose result
        it depends on.

        Raises:
            NotSupported: the cluster's state does not allow it.
        """
        change = Update(cluster, node_count, health_status, health_status_reason, rollback)
        with self._intake.patient():
            if not claims.busy(cluster.uuid):
                found = objects.Cluster.get_by_uuid(context, cluster.uuid)
                if not change.resizes(found):
                    if not change.reports_health(found):
                        return None
                    change.save_health(found)
                    return found
        return self._intake.submit(
            context,
            change,
            "cluster_update",
            cluster=cluster,
            node_count=node_count,
            health_status=health_status,
            health_status_reason=health_status_reason,
            rollback=rollback,
        )

    def cluster_delete(self, context: Any, uuid: str) -> Any:
        """Accept a deletion, in any state.

        Raises:
            ClusterNotFound: the context sees no such cluster.
        """
        return self._intake.submit(context, Delete(uuid), "cluster_delete", uuid=uuid)

    def cluster_resize(
        self,
        context: Any,
        cluster: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any,
    ) -> Any:
        """Accept a new size of one nodegroup."""
        return self._intake.submit(
            context,
            Resize(cluster, node_count, nodes_to_remove, nodegroup),
            "cluster_resize",
            cluster=cluster,
            node_count=node_count,
            nodes_to_remove=nodes_to_remove,
            nodegroup=nodegroup,
        )

    def cluster_upgrade(
        self,
        context: Any,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        rollback: bool = False,
    ) -> Any:
        """Upgrade a cluster; answers when the driver has accepted, or in time.

        Raises:
            NotSupported: the cluster's state does not allow it, or the driver cannot.
            OperationInProgress: another upgrade or rotation of the cluster is under way.
        """
        return self._intake.submit(
            context,
            Upgrade(cluster, cluster_template, max_batch_size, nodegroup, rollback),
            "cluster_upgrade",
            cluster=cluster,
            cluster_template=cluster_template,
            max_batch_size=max_batch_size,
            nodegroup=nodegroup,
            rollback=rollback,
        )
