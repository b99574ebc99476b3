"""Drivers for the conformance command: one without a fault, and one for each fault."""

from __future__ import annotations

import contextlib
import os
import socket
import tempfile
import threading
import time
import uuid
from typing import Any, ClassVar

from magnumlite import exception, objects
from magnumlite.conductor import states
from magnumlite.context import make_admin_context
from magnumlite.drivers.base import Driver
from magnumlite.drivers.monitors import MonitorBase
from magnumlite.drivers.scale_manager import ScaleManager


class Honest(Driver):
    """Has no fault: all that it starts is over at the next poll."""

    provides: ClassVar[list[dict[str, str]]] = [
        {"server_type": "vm", "os": "honest", "coe": "kubernetes"}
    ]

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        cluster.stack_id = str(uuid.uuid4())

    def update_cluster(
        self, context: Any, cluster: Any, scale_manager: Any = None, rollback: bool = False
    ) -> None:
        pass

    def delete_cluster(self, context: Any, cluster: Any) -> None:
        pass

    def resize_cluster(
        self,
        context: Any,
        cluster: Any,
        resize_manager: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any = None,
    ) -> None:
        pass

    def upgrade_cluster(
        self,
        context: Any,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        scale_manager: Any = None,
        rollback: bool = False,
    ) -> None:
        pass

    def create_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> None:
        pass

    def update_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> None:
        pass

    def delete_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> None:
        pass

    def rotate_ca_certificate(self, context: Any, cluster: Any) -> None:
        pass

    def create_federation(self, context: Any, federation: Any) -> None:
        raise exception.NotSupported("There are no federations.")

    update_federation = delete_federation = create_federation

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if not states.in_progress(cluster.status) or not cluster.stack_id:
            return
        self.finish_nodegroups(cluster)
        self.finish(cluster)
        cluster.save()

    def finish_nodegroups(self, cluster: Any) -> None:
        for nodegroup in cluster.nodegroups:
            if not states.in_progress(nodegroup.status):
                continue
            if nodegroup.status == "DELETE_IN_PROGRESS" and not nodegroup.is_default:
                nodegroup.destroy()
                continue
            nodegroup.status = _complete(nodegroup.status)
            nodegroup.node_addresses = self.addresses(nodegroup)
            nodegroup.save()

    def finish(self, cluster: Any) -> None:
        cluster.status = _complete(cluster.status)
        cluster.api_address = "https://192.0.2.7:6443"

    def addresses(self, nodegroup: Any) -> list[Any]:
        return [f"192.0.2.{n + 10}" for n in range(nodegroup.node_count)]


def _complete(status: str) -> str:
    return status.replace("IN_PROGRESS", "COMPLETE")


def _fresh(cluster: Any) -> Any:
    return objects.Cluster.get_by_uuid(make_admin_context(all_tenants=True), cluster.uuid)


# Faults of statuses


class Silent(Honest):
    """Never sets a status: the base class's method."""

    update_cluster_status = Driver.update_cluster_status


class Endless(Honest):
    """Looks, and never finds that anything has ended."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        pass


class Unfinished(Honest):
    """Completes clusters and forgets their nodegroups."""

    def finish_nodegroups(self, cluster: Any) -> None:
        pass


class Misnamed(Honest):
    """Ends everything in UPDATE_COMPLETE."""

    def finish(self, cluster: Any) -> None:
        cluster.status = (
            "UPDATE_COMPLETE" if cluster.status != "DELETE_IN_PROGRESS" else "DELETE_COMPLETE"
        )


class Illegal(Honest):
    """Has a status of its own."""

    def finish(self, cluster: Any) -> None:
        cluster.status = "READY"


# Faults of polls


class Restless(Honest):
    """Writes down when it last looked, also at rest."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        super().update_cluster_status(context, cluster)
        if not states.in_progress(cluster.status) and cluster.status != "DELETE_COMPLETE":
            cluster.status_reason = f"looked at {time.time()}"
            cluster.save()


class Ticking(Honest):
    """Changes the reason at each poll in progress, whatever the cloud says."""

    seen: ClassVar[dict[str, int]] = {}

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        key = f"{cluster.uuid} {cluster.status}"
        self.seen[key] = self.seen.get(key, 0) + 1
        if states.in_progress(cluster.status) and self.seen[key] % 6:
            cluster.status_reason = f"waiting, {self.seen[key]} polls so far"
            cluster.save()
            return
        super().update_cluster_status(context, cluster)


class Raising(Honest):
    """Cannot be polled at rest."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if not states.in_progress(cluster.status):
            raise KeyError(cluster.status)
        super().update_cluster_status(context, cluster)


# Faults of saving


class Behind(Honest):
    """Saves through an object of its own and leaves the one it was given behind."""

    def update_cluster(
        self, context: Any, cluster: Any, scale_manager: Any = None, rollback: bool = False
    ) -> None:
        own = _fresh(cluster)
        own.status = "UPDATE_COMPLETE"
        own.save()


class Contrary(Honest):
    """Puts the size back to what it thinks is right."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if states.in_progress(cluster.status):
            workers = cluster.default_ng_worker
            workers.node_count = 1
            workers.save()
        super().update_cluster_status(context, cluster)


class Elsewhere(Honest):
    """Saves in a thread of its own, where there is no fence."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if not states.in_progress(cluster.status):
            return

        def save() -> None:
            self.finish_nodegroups(cluster)
            self.finish(cluster)
            cluster.save()

        thread = threading.Thread(target=save)
        thread.start()
        thread.join()


class Deaf(Honest):
    """Goes on when a save was refused."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        with contextlib.suppress(exception.MagnumException):
            super().update_cluster_status(context, cluster)


class Nosy(Honest):
    """Looks after all clusters when it is asked about one."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        super().update_cluster_status(context, cluster)
        if cluster.status != "CREATE_COMPLETE":
            return
        for other in objects.Cluster.list(make_admin_context(all_tenants=True)):
            if other.uuid != cluster.uuid and not other.coe_version:
                other.coe_version = "v1.31.1"
                other.save()


class MixedUp(Honest):
    """Keeps the cluster that it works on in the class."""

    working_on: ClassVar[Any] = None

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if states.in_progress(cluster.status):
            type(self).working_on = cluster
            time.sleep(0.05)
            super().update_cluster_status(context, type(self).working_on)
            type(self).working_on = None


# Faults of values


class Relabelling(Honest):
    """Keeps its notes in the user's labels."""

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        super().create_cluster(context, cluster, cluster_create_timeout)
        cluster.labels["stack"] = cluster.stack_id


class Addressless(Honest):
    """Lists a node that has no address yet."""

    def addresses(self, nodegroup: Any) -> list[Any]:
        return [*super().addresses(nodegroup), None]


class Talkative(Honest):
    """Has a reason longer than its column."""

    def finish(self, cluster: Any) -> None:
        super().finish(cluster)
        cluster.status_reason = "all is well; " * 10_000


# Faults of errors


class Unimplemented(Honest):
    """Says NotImplementedError for what it does not have."""

    def upgrade_cluster(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError


class Impatient(Honest):
    """Cannot be asked twice to delete."""

    def delete_cluster(self, context: Any, cluster: Any) -> None:
        if cluster.status == "DELETE_IN_PROGRESS":
            raise RuntimeError("no such stack")


class Quitting(Honest):
    """Ends the process when something is not to its liking."""

    def update_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> None:
        raise SystemExit(1)


class Ancient(Honest):
    """Has the signature of an older interface."""

    def upgrade_cluster(  # type: ignore[override]
        self, context: Any, cluster: Any, cluster_template: Any, max_batch_size: int, nodegroup: Any
    ) -> None:
        pass


class Nomadic(Honest):
    """Is for a COE that Magnum does not have."""

    provides: ClassVar[list[dict[str, str]]] = [
        {"server_type": "vm", "os": "honest", "coe": "nomad"}
    ]


class Aimless(Honest):
    """Does not say what it is for."""

    @property
    def provides(self) -> list[dict[str, str]]:  # type: ignore[override]
        raise KeyError("kinds")


# Faults of time and of what is left


class Sleepy(Honest):
    """Waits for the end in the call."""

    def create_nodegroup(self, context: Any, cluster: Any, nodegroup: Any) -> None:
        time.sleep(1.5)


class Hanging(Honest):
    """Never comes back from a poll."""

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        if cluster.status == "UPDATE_IN_PROGRESS":
            threading.Event().wait(600)
        super().update_cluster_status(context, cluster)


class Littering(Honest):
    """Leaves a kubeconfig in the directory for temporary files."""

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        super().create_cluster(context, cluster, cluster_create_timeout)
        handle, _ = tempfile.mkstemp(prefix="kubeconfig-")
        os.close(handle)


class Connected(Honest):
    """Opens a connection for each cluster and never closes it."""

    connections: ClassVar[list[socket.socket]] = []

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        super().create_cluster(context, cluster, cluster_create_timeout)
        self.connections.append(socket.socket())


class Watching(Honest):
    """Has a thread for each cluster, which stays."""

    end: ClassVar[threading.Event] = threading.Event()

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        super().create_cluster(context, cluster, cluster_create_timeout)
        threading.Thread(target=self.end.wait, name="watcher", daemon=True).start()


class Recording(Honest):
    """Makes a row that it never removes."""

    def create_cluster(self, context: Any, cluster: Any, cluster_create_timeout: Any) -> None:
        super().create_cluster(context, cluster, cluster_create_timeout)
        objects.X509KeyPair(
            context,
            uuid=str(uuid.uuid4()),
            certificate="c",
            private_key="k",
            private_key_passphrase="p",
            intermediates="",
            project_id=cluster.project_id,
            user_id=cluster.user_id,
        ).create()


class Clinging(Honest):
    """Keeps the clusters that it was asked about."""

    known: ClassVar[dict[str, Any]] = {}

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        self.known[cluster.uuid] = cluster
        super().update_cluster_status(context, cluster)


# Monitors and scale managers


class _Monitor(MonitorBase):
    metrics_spec: ClassVar[dict[str, dict[str, str]]] = {}

    def __init__(self, context: Any, cluster: Any) -> None:
        super().__init__(context, cluster)
        self.data: dict[str, Any] = {}

    def pull_data(self) -> None:
        pass

    def poll_health_status(self) -> None:
        self.data = {"health_status": "HEALTHY", "health_status_reason": {"api": "ok"}}


class _Blind(_Monitor):
    def poll_health_status(self) -> None:
        raise ConnectionError("no route to host")


class _Removing(ScaleManager):
    def get_removal_nodes(self, hosts: list[str] | None) -> list[str]:
        return list(hosts or ())


class _Keeping(ScaleManager):
    def _get_hosts_with_container(self, context: Any, cluster: Any) -> set[str]:
        return set()


class Complete(Honest):
    """Has all that a driver may have."""

    def rotate_credential(self, context: Any, cluster: Any) -> None:
        pass

    def get_monitor(self, context: Any, cluster: Any) -> Any:
        return _Monitor(context, cluster)

    def get_scale_manager(self, context: Any, osclient: Any, cluster: Any) -> Any:
        return _Keeping(context, osclient, cluster)

    def validate_master_resize(self, node_count: int) -> None:
        self.validate_master_size(node_count)


class Blind(Complete):
    """Has a monitor that raises."""

    def get_monitor(self, context: Any, cluster: Any) -> Any:
        return _Blind(context, cluster)


class Removing(Complete):
    """Has a scale manager that removes nodes which nobody wants removed."""

    def get_scale_manager(self, context: Any, osclient: Any, cluster: Any) -> Any:
        return _Removing(context, osclient, cluster)
