"""Nodegroups; `cluster` is always the uuid of the cluster they belong to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from oslo_db import exception as db_exc
from sqlalchemy.exc import MultipleResultsFound

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine, fence
from magnumlite.db.models import Cluster, NodeGroup
from magnumlite.db.queries import rows, scope

Filters = Mapping[str, Any] | None

_PLAIN = ("name", "node_count", "node_addresses", "role", "is_default", "status")


def get_by_id(context: RequestContext, cluster: str, nodegroup_id: int) -> NodeGroup:
    """Return the row with that integer id.

    Raises:
        NodeGroupNotFound: the cluster has none that the context may read.
    """
    return _get(context, cluster, id=nodegroup_id)


def get_by_uuid(context: RequestContext, cluster: str, uuid: str) -> NodeGroup:
    """Return the row with that uuid.

    Raises:
        NodeGroupNotFound: the cluster has none that the context may read.
    """
    return _get(context, cluster, uuid=uuid)


def get_by_name(context: RequestContext, cluster: str, name: str) -> NodeGroup:
    """Return the row with that name.

    Raises:
        NodeGroupNotFound: the cluster has none that the context may read.
        Conflict: there are several.
    """
    return _get(context, cluster, name=name)


def list_all(
    context: RequestContext,
    cluster: str,
    filters: Filters = None,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[NodeGroup]:
    """Return a page of a cluster's nodegroups.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    conditions = [*_where(context, cluster), *rows.matching(NodeGroup, filters, _PLAIN)]
    return rows.many(NodeGroup, conditions, limit, marker, sort_key, sort_dir)


def count(context: RequestContext, cluster: str) -> int:
    """Return how many nodegroups the cluster has."""
    return rows.count(NodeGroup, _where(context, cluster))


def any_in_progress(cluster: str) -> bool:
    """Tell whether a nodegroup of the cluster has not come to its end, whoever asks."""
    return rows.present([NodeGroup.cluster_id == cluster, NodeGroup.status.like("%_IN_PROGRESS")])


def create(context: RequestContext, values: Mapping[str, Any]) -> NodeGroup:
    """INSERT a nodegroup.

    Raises:
        ClusterNotFound: a tenant names a cluster that is not its own.
        NodeGroupAlreadyExists: the uuid, or the name within the cluster, is taken.
        NotAuthorized: a tenant names another project.
    """
    _require_own(context, values)
    try:
        return rows.insert(NodeGroup, values)
    except db_exc.DBDuplicateEntry:
        raise exception.NodeGroupAlreadyExists(
            cluster_id=values["cluster_id"], name=values["name"]
        ) from None


@engine.retried
def update(context: RequestContext, cluster: str, uuid: str, values: Mapping[str, Any]) -> None:
    """UPDATE a nodegroup in one statement that also tests the fence of the running job.

    Raises:
        ClaimLost: the job may not write any more.
        ClusterNotFound: a tenant names another cluster that is not its own.
        NodeGroupNotFound: there is none that the context may write.
        NotAuthorized: a tenant names another project.
    """
    _require_own(context, values)
    conditions = [*_where(context, cluster), NodeGroup.uuid == uuid]
    with engine.writer():
        held = fence.current()
        if held is None:
            done = rows.change(NodeGroup, conditions, values)
        else:
            values = held.outgoing(NodeGroup, cluster, values)
            fenced = held.where(NodeGroup, cluster)
            done = rows.change(NodeGroup, [*conditions, *fenced], values)
        if not done:
            raise _missed(conditions, uuid, held)
        if held is not None:
            held.wrote(NodeGroup, cluster, values)


@engine.retried
def destroy(context: RequestContext, cluster: str, uuid: str) -> None:
    """DELETE a nodegroup in one statement that also tests the fence of the running job.

    Raises:
        ClaimLost: the job may not write any more.
        NodeGroupNotFound: there is none that the context may write.
    """
    conditions = [*_where(context, cluster), NodeGroup.uuid == uuid]
    with engine.writer():
        held = fence.current()
        fenced = held.where(NodeGroup, cluster) if held is not None else []
        if not rows.remove(NodeGroup, [*conditions, *fenced]):
            raise _missed(conditions, uuid, held)
        if held is not None:
            held.wrote(NodeGroup, cluster, {})


@engine.retried
def remove_of(cluster: str) -> None:
    """DELETE the nodegroups of a cluster that is gone."""
    rows.remove(NodeGroup, [NodeGroup.cluster_id == cluster])


@engine.retried
def remove_orphans() -> int:
    """DELETE the nodegroups of all clusters that are gone; return how many there were.

    No nodegroup is older than its cluster, so that what has none has lost it.  They are looked
    for without a lock: there are seldom any.
    """
    owner = sa.exists().where(Cluster.uuid == NodeGroup.cluster_id)
    with engine.reader() as session:
        found: list[int] = list(session.scalars(sa.select(NodeGroup.id).where(~owner)))
    if found:
        rows.remove(NodeGroup, [NodeGroup.id.in_(found)])
    return len(found)


def _reached(context: RequestContext, cluster: str) -> scope.Equals:
    # Reads and writes alike: administrators reach every project's nodegroups.
    own = {} if context.is_admin else {"project_id": context.project_id}
    return {"cluster_id": cluster, **own}


def _where(context: RequestContext, cluster: str) -> scope.Conditions:
    return scope.where(NodeGroup, _reached(context, cluster))


def _get(context: RequestContext, cluster: str, **identity: Any) -> NodeGroup:
    try:
        row = rows.one(NodeGroup, **identity, **_reached(context, cluster))
    except MultipleResultsFound:
        raise exception.Conflict(
            "Multiple nodegroups exist with same name. Please use the nodegroup uuid instead."
        ) from None
    if row is None:
        raise exception.NodeGroupNotFound(nodegroup=next(iter(identity.values())))
    return row


def _require_own(context: RequestContext, values: Mapping[str, Any]) -> None:
    """Refuse a tenant's nodegroup that is to be another's, or in another's cluster (B67)."""
    scope.require_own(context, values.get("project_id"))
    if "cluster_id" in values and not context.is_admin:
        own = scope.where(Cluster, scope.readable(Cluster, context))
        if not rows.present([Cluster.uuid == values["cluster_id"], *own]):
            raise exception.ClusterNotFound(cluster=values["cluster_id"])


def _missed(
    conditions: scope.Conditions, uuid: str, held: fence.Fence | None
) -> exception.MagnumException:
    if held is not None and rows.present(conditions):
        return held.lost("nodegroup")
    return exception.NodeGroupNotFound(nodegroup=uuid)
