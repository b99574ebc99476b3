"""A cluster of somebody else's, with which nothing is ever done."""

from __future__ import annotations

import uuid
from typing import Any

from magnumlite import objects
from magnumlite.context import make_admin_context


class Bystander:
    """Rows of a cluster at rest, in another project; no driver has ever seen it."""

    def __init__(self, template: Any) -> None:
        """Insert the rows."""
        context = make_admin_context(all_tenants=True)
        self._cluster = objects.Cluster(
            context,
            uuid=str(uuid.uuid4()),
            name="bystander",
            project_id=uuid.uuid4().hex,
            user_id=uuid.uuid4().hex,
            cluster_template_id=template.uuid,
            labels={},
            status="CREATE_COMPLETE",
            stack_id=str(uuid.uuid4()),
            api_address="https://192.0.2.1:6443",
        )
        self._cluster.create()
        for role in ("master", "worker"):
            objects.NodeGroup(
                context,
                uuid=str(uuid.uuid4()),
                name=f"default-{role}",
                cluster_id=self._cluster.uuid,
                project_id=self._cluster.project_id,
                labels={},
                role=role,
                node_count=1,
                is_default=True,
                status="CREATE_COMPLETE",
            ).create()

    def leave(self) -> None:
        """Remove the rows."""
        for nodegroup in self._cluster.nodegroups:
            nodegroup.destroy()
        self._cluster.destroy()
