"""How much a project has."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import Cluster, NodeGroup
from magnumlite.db.queries import scope


@engine.retried
def get_cluster_stats(context: RequestContext, project_id: str | None = None) -> tuple[int, int]:
    """Return the number of clusters and of nodes, masters included.

    Of one project; of all, or of the tenant's own, when `project_id` is None (B67).

    Raises:
        NotAuthorized: a tenant names another project.
    """
    scope.require_own(context, project_id)
    clusters = sa.select(sa.func.count(Cluster.id))
    nodes: sa.Select[Any] = sa.select(sa.func.coalesce(sa.func.sum(NodeGroup.node_count), 0))
    if project_id is None and not context.is_admin:
        project_id = context.project_id or ""
    if project_id is not None:
        clusters = clusters.where(Cluster.project_id == project_id)
        nodes = nodes.where(NodeGroup.project_id == project_id)
    with engine.reader() as session:
        return int(session.scalar(clusters) or 0), int(session.scalar(nodes) or 0)
