"""What is asked of the conductors: each request has an id of its own, by which it is found."""

from __future__ import annotations

import dataclasses
import json
import uuid
from typing import Any

from magnumlite import objects
from magnumlite.context import RequestContext, make_admin_context
from magnumlite.rpc import client
from tests.conftest import PROJECT, USER


@dataclasses.dataclass
class Sent:
    """A request that the broker has taken."""

    id: str
    kind: str
    cluster: str
    nodegroup: str | None = None
    size: int | None = None


class Caller:
    """Sends requests as magnum-api does, and remembers them in their order."""

    def __init__(self) -> None:
        self.sent: list[Sent] = []
        self.admin = make_admin_context(all_tenants=True)
        self.template = self.new_template("faults")

    def create(self, template: Any = None, **script: Any) -> str:
        """Ask for a cluster whose driver does what `script` says; return its uuid."""
        context = _context()
        cluster = self.cluster(context, **script)
        cluster.cluster_template_id = (template or self.template).uuid
        client.API(context).cluster_create_async(cluster, 1, 1, 60)
        self._note(context, "create", cluster.uuid)
        return str(cluster.uuid)

    def cluster(self, context: Any = None, **script: Any) -> Any:
        """Return a new cluster as magnum-api sends it."""
        context = context or _context()
        return objects.Cluster(
            context,
            uuid=str(uuid.uuid4()),
            name=f"c{len(self.sent)}",
            project_id=PROJECT,
            user_id=USER,
            cluster_template_id=self.template.uuid,
            create_timeout=60,
            labels={"faults": json.dumps(script)},
        )

    def delete(self, cluster: str) -> None:
        """Ask for a cluster's deletion."""
        context = _context()
        client.API(context).cluster_delete_async(cluster)
        self._note(context, "delete", cluster)

    def resize(self, cluster: str, size: int, nodegroup: Any = None) -> None:
        """Ask for another size of a nodegroup, the default workers unless one is given."""
        context = _context()
        found = self.get(cluster)
        group = nodegroup or found.default_ng_worker
        client.API(context).cluster_resize_async(found, size, [], group)
        self._note(context, "resize", cluster, group.uuid, size)

    def update(self, cluster: str, size: int) -> None:
        """Ask for another size of the default workers, by PATCH."""
        context = _context()
        client.API(context).cluster_update_async(self.get(cluster), size, None, None)
        self._note(context, "update", cluster, size=size)

    def nodegroup_create(self, cluster: str, name: str) -> Any:
        """Ask for a nodegroup; return it as it was sent."""
        context = _context()
        nodegroup = objects.NodeGroup(
            context,
            uuid=str(uuid.uuid4()),
            name=name,
            cluster_id=cluster,
            project_id=PROJECT,
            node_count=1,
            role="worker",
            labels={},
            flavor_id="small",
            image_id="image",
        )
        client.API(context).nodegroup_create_async(self.get(cluster), nodegroup)
        self._note(context, "nodegroup_create", cluster, nodegroup.uuid)
        return nodegroup

    def nodegroup_update(self, cluster: str, nodegroup: Any, most: int) -> None:
        """Ask for another maximum of a nodegroup."""
        context = _context()
        found = objects.NodeGroup.get_by_uuid(self.admin, cluster, nodegroup.uuid)
        found.max_node_count = most
        client.API(context).nodegroup_update_async(self.get(cluster), found)
        self._note(context, "nodegroup_update", cluster, nodegroup.uuid)

    def nodegroup_delete(self, cluster: str, nodegroup: Any) -> None:
        """Ask for a nodegroup's deletion."""
        context = _context()
        client.API(context).nodegroup_delete_async(self.get(cluster), nodegroup)
        self._note(context, "nodegroup_delete", cluster, nodegroup.uuid)

    def upgrade(self, cluster: str, timeout: float) -> Any:
        """Upgrade a cluster to its own template and return the answer: a call."""
        context = _context()
        found = self.get(cluster)
        self._note(context, "upgrade", cluster)
        return client.API(context, timeout=timeout).cluster_upgrade(
            found, self.template, 1, found.default_ng_worker
        )

    def get(self, cluster: str) -> Any:
        """Return the row of a cluster, read from the database."""
        return objects.Cluster.get_by_uuid(self.admin, cluster)

    def _note(
        self,
        context: Any,
        kind: str,
        cluster: str,
        nodegroup: str | None = None,
        size: int | None = None,
    ) -> None:
        self.sent.append(Sent(context.request_id, kind, cluster, nodegroup, size))

    def new_template(self, driver: str) -> Any:
        """Return a template whose clusters that driver serves."""
        template = objects.ClusterTemplate(
            self.admin,
            uuid=str(uuid.uuid4()),
            name="t",
            project_id=PROJECT,
            user_id=USER,
            driver=driver,
            server_type="vm",
            cluster_distro="faults",
            coe="kubernetes",
            image_id="image",
            flavor_id="small",
            master_flavor_id="small",
            labels={},
        )
        template.create()
        return template


def _context() -> RequestContext:
    return RequestContext(user_id=USER, project_id=PROJECT, is_admin=False, overwrite=False)
