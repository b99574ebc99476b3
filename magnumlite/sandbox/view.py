"""What the database shows of the clusters at one moment."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.orm import Session

from magnumlite.db import engine, models


@dataclass(frozen=True)
class NodeGroupView:
    """One nodegroup."""

    name: str
    role: str
    node_count: int
    status: str
    reason: str


@dataclass(frozen=True)
class ClusterView:
    """One cluster with its nodegroups."""

    uuid: str
    name: str
    status: str
    reason: str
    template: str  # its name
    version: str
    address: str
    health: str
    nodegroups: tuple[NodeGroupView, ...]

    @property
    def node_count(self) -> int:
        """How many worker nodes it has or will have."""
        return sum(group.node_count for group in self.nodegroups if group.role != "master")


def take() -> list[ClusterView]:
    """Return every cluster, oldest first, read in one transaction."""
    with engine.reader() as session:
        clusters = _all(session, models.Cluster)
        templates = {row.uuid: row.name for row in _all(session, models.ClusterTemplate)}
        groups: dict[str, list[NodeGroupView]] = defaultdict(list)
        for row in _all(session, models.NodeGroup):
            groups[row.cluster_id].append(
                NodeGroupView(
                    name=row.name,
                    role=row.role or "",
                    node_count=row.node_count or 0,
                    status=row.status or "",
                    reason=row.status_reason or "",
                )
            )
        return [
            ClusterView(
                uuid=row.uuid,
                name=row.name,
                status=row.status or "",
                reason=row.status_reason or "",
                template=templates.get(row.cluster_template_id, row.cluster_template_id),
                version=row.coe_version or "",
                address=row.api_address or "",
                health=row.health_status or "",
                nodegroups=tuple(groups[row.uuid]),
            )
            for row in clusters
        ]


def one(uuid: str) -> ClusterView | None:
    """Return one cluster, None when it is gone."""
    return next((cluster for cluster in take() if cluster.uuid == uuid), None)


def _all(session: Session, model: Any) -> Sequence[Any]:
    return session.scalars(sa.select(model).order_by(model.id)).all()
