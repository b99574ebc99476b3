"""The conductor's client: every request that magnum-api sends (contract/rpc.json)."""

from __future__ import annotations

from typing import Any

import oslo_messaging

from magnumlite.conf import CONF
from magnumlite.rpc import transport
from magnumlite.rpc.serializers import RequestSerializer


class API:
    """Sends requests to the conductors' topic.

    Calls wait for the result, at most [DEFAULT]rpc_response_timeout seconds or `timeout`;
    casts return at once.

    Raises:
        MessagingTimeout: no conductor answered a call in time.
        MessageDeliveryFailure: the broker did not take the message.
    """

    def __init__(
        self, context: Any = None, topic: str | None = None, timeout: int | None = None
    ) -> None:
        self._context = context
        self._client = oslo_messaging.get_rpc_client(
            transport.rpc(),
            oslo_messaging.Target(topic=topic or CONF.conductor.topic),
            timeout=timeout,
            serializer=RequestSerializer(),
        )

    def call(self, method: str, **kwargs: Any) -> Any:
        """Call `method` and return its result."""
        return self._client.call(self._context, method, **kwargs)

    def cast(self, method: str, **kwargs: Any) -> None:
        """Send `method` without waiting for anything."""
        self._client.cast(self._context, method, **kwargs)

    def cast_once(self, context: Any, method: str, arguments: dict[str, Any]) -> None:
        """Send `method` for `context`, with few tries: for a process that is about to end.

        Raises:
            MessageDeliveryFailure: the broker did not take it.
        """
        self._client.prepare(retry=2).cast(context, method, **arguments)

    # Clusters

    def cluster_create(
        self, cluster: Any, master_count: int, node_count: int, create_timeout: int | None
    ) -> Any:
        """Create a cluster and wait until the driver has begun."""
        return self.call(
            "cluster_create",
            cluster=cluster,
            master_count=master_count,
            node_count=node_count,
            create_timeout=create_timeout,
        )

    def cluster_create_async(
        self, cluster: Any, master_count: int, node_count: int, create_timeout: int | None
    ) -> None:
        """Have a cluster created."""
        self.cast(
            "cluster_create",
            cluster=cluster,
            master_count=master_count,
            node_count=node_count,
            create_timeout=create_timeout,
        )

    def cluster_delete(self, uuid: str) -> None:
        """Delete a cluster and wait until the driver has begun."""
        self.call("cluster_delete", uuid=uuid)

    def cluster_delete_async(self, uuid: str) -> None:
        """Have a cluster deleted."""
        self.cast("cluster_delete", uuid=uuid)

    def cluster_update(
        self, cluster: Any, node_count: int, health_status: Any, health_status_reason: Any
    ) -> Any:
        """Update a cluster and wait until the driver has begun."""
        return self.call(
            "cluster_update",
            cluster=cluster,
            node_count=node_count,
            health_status=health_status,
            health_status_reason=health_status_reason,
        )

    def cluster_update_async(
        self,
        cluster: Any,
        node_count: int,
        health_status: Any,
        health_status_reason: Any,
        rollback: bool = False,
    ) -> None:
        """Have a cluster updated."""
        self.cast(
            "cluster_update",
            cluster=cluster,
            node_count=node_count,
            health_status=health_status,
            health_status_reason=health_status_reason,
            rollback=rollback,
        )

    def cluster_resize(
        self,
        cluster: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any,
        rollback: bool = False,
    ) -> Any:
        """Resize a nodegroup and wait until the driver has begun; `rollback` is not sent."""
        return self.call(
            "cluster_resize",
            cluster=cluster,
            node_count=node_count,
            nodes_to_remove=nodes_to_remove,
            nodegroup=nodegroup,
        )

    def cluster_resize_async(
        self,
        cluster: Any,
        node_count: int,
        nodes_to_remove: list[str],
        nodegroup: Any,
        rollback: bool = False,
    ) -> None:
        """Have a nodegroup resized; `rollback` is not sent."""
        self.cast(
            "cluster_resize",
            cluster=cluster,
            node_count=node_count,
            nodes_to_remove=nodes_to_remove,
            nodegroup=nodegroup,
        )

    def cluster_upgrade(
        self,
        cluster: Any,
        cluster_template: Any,
        max_batch_size: int,
        nodegroup: Any,
        rollback: bool = False,
    ) -> Any:
        """Upgrade a cluster to a template; `rollback` is not sent."""
        return self.call(
            "cluster_upgrade",
            cluster=cluster,
            cluster_template=cluster_template,
            max_batch_size=max_batch_size,
            nodegroup=nodegroup,
        )

    cluster_upgrade_async = cluster_upgrade

    # Nodegroups

    def nodegroup_create(self, cluster: Any, nodegroup: Any) -> Any:
        """Create a nodegroup and wait until the driver has begun."""
        return self.call("nodegroup_create", cluster=cluster, nodegroup=nodegroup)

    def nodegroup_create_async(self, cluster: Any, nodegroup: Any) -> None:
        """Have a nodegroup created."""
        self.cast("nodegroup_create", cluster=cluster, nodegroup=nodegroup)

    def nodegroup_update(self, cluster: Any, nodegroup: Any) -> Any:
        """Update a nodegroup and wait until the driver has begun."""
        return self.call("nodegroup_update", cluster=cluster, nodegroup=nodegroup)

    def nodegroup_update_async(self, cluster: Any, nodegroup: Any) -> None:
        """Have a nodegroup updated."""
        self.cast("nodegroup_update", cluster=cluster, nodegroup=nodegroup)

    def nodegroup_delete(self, cluster: Any, nodegroup: Any) -> None:
        """Delete a nodegroup and wait until the driver has begun."""
        self.call("nodegroup_delete", cluster=cluster, nodegroup=nodegroup)

    def nodegroup_delete_async(self, cluster: Any, nodegroup: Any) -> None:
        """Have a nodegroup deleted."""
        self.cast("nodegroup_delete", cluster=cluster, nodegroup=nodegroup)

    # Certificates and credentials

    def sign_certificate(self, cluster: Any, certificate: Any) -> Any:
        """Return the certificate with the signed PEM."""
        return self.call("sign_certificate", cluster=cluster, certificate=certificate)

    def get_ca_certificate(self, cluster: Any, ca_cert_type: str | None = None) -> Any:
        """Return a CA certificate of a cluster."""
        return self.call("get_ca_certificate", cluster=cluster, ca_cert_type=ca_cert_type)

    def rotate_ca_certificate(self, cluster: Any) -> Any:
        """Give a cluster new CAs."""
        return self.call("rotate_ca_certificate", cluster=cluster)

    def credential_rotate(self, cluster: Any) -> None:
        """Have the driver rotate the cloud credential and wait for it."""
        self.call("credential_rotate", cluster=cluster)

    def credential_rotate_async(self, cluster: Any) -> None:
        """Have the driver rotate the cloud credential."""
        self.cast("credential_rotate", cluster=cluster)

    # Federations

    def federation_create(self, federation: Any, create_timeout: int | None) -> Any:
        """Create a federation (not implemented by any conductor)."""
        return self.call("federation_create", federation=federation, create_timeout=create_timeout)

    def federation_create_async(self, federation: Any, create_timeout: int | None) -> None:
        """Have a federation created."""
        self.cast("federation_create", federation=federation, create_timeout=create_timeout)

    def federation_update(self, federation: Any) -> Any:
        """Update a federation (not implemented by any conductor)."""
        return self.call("federation_update", federation=federation)

    def federation_update_async(self, federation: Any, rollback: bool = False) -> None:
        """Have a federation updated."""
        self.cast("federation_update", federation=federation, rollback=rollback)

    def federation_delete(self, uuid: str) -> None:
        """Delete a federation (not implemented by any conductor)."""
        self.call("federation_delete", uuid=uuid)

    def federation_delete_async(self, uuid: str) -> None:
        """Have a federation deleted."""
        self.cast("federation_delete", uuid=uuid)

    # Objects

    def object_action(
        self, context: Any, objinst: Any, objmethod: str, args: Any, kwargs: Any
    ) -> Any:
        """Run a remotable method of an object on a conductor."""
        return self._client.call(
            context,
            "object_action",
            objinst=objinst,
            objmethod=objmethod,
            args=args,
            kwargs=kwargs,
        )

    def object_class_action_versions(
        self,
        context: Any,
        objname: str,
        objmethod: str,
        object_versions: dict[str, str],
        args: Any,
        kwargs: Any,
    ) -> Any:
        """Run a remotable class method on a conductor."""
        return self._client.call(
            context,
            "object_class_action_versions",
            objname=objname,
            objmethod=objmethod,
            object_versions=object_versions,
            args=args,
            kwargs=kwargs,
        )

    def object_backport_versions(
        self, context: Any, objinst: Any, object_versions: dict[str, str]
    ) -> Any:
        """Return an object as an older version of it."""
        return self._client.call(
            context,
            "object_backport_versions",
            objinst=objinst,
            object_versions=object_versions,
        )


class ListenerAPI(API):
    """Pings conductors."""

    def ping_conductor(self) -> bool:
        """Tell that a conductor answers."""
        return bool(self.call("ping_conductor"))
