"""Clusters."""

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

_PLAIN = (
    "cluster_template_id",
    "name",
    "stack_id",
    "api_address",
    "project_id",
    "user_id",
    "status",
)


def get_by_id(context: RequestContext, cluster_id: int) -> Cluster:
    """Return the row with that integer id.

    Raises:
        ClusterNotFound: there is none that the context may read.
    """
    return _get(context, id=cluster_id)


def get_by_uuid(context: RequestContext, uuid: str) -> Cluster:
    """Return the row with that uuid.

    Raises:
        ClusterNotFound: there is none that the context may read.
    """
    return _get(context, uuid=uuid)


def get_by_name(context: RequestContext, name: str) -> Cluster:
    """Return the only row with that name.

    Raises:
        ClusterNotFound: there is none that the context may read.
        Conflict: there are several.
    """
    return _get(context, name=name)


def list_all(
    context: RequestContext,
    filters: Filters = None,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[Cluster]:
    """Return a page of the rows that the context may read.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    return rows.many(Cluster, _where(context, filters), limit, marker, sort_key, sort_dir)


def count(context: RequestContext, filters: Filters = None) -> int:
    """Return how many rows the context may read."""
    return rows.count(Cluster, _where(context, filters))


def count_up_to(project_id: str, cluster_id: int) -> int:
    """Return how many clusters a project had when the row `cluster_id` came, that one included."""
    until: Any = Cluster.id <= cluster_id
    return rows.count(Cluster, [Cluster.project_id == project_id, until])


def create(context: RequestContext, values: Mapping[str, Any]) -> Cluster:
    """INSERT a cluster.

    Raises:
        ClusterAlreadyExists: the uuid is taken.
        NotAuthorized: a tenant names another project.
    """
    scope.require_own(context, values.get("project_id"))
    try:
        return rows.insert(Cluster, values)
    except db_exc.DBDuplicateEntry:
        raise exception.ClusterAlreadyExists(uuid=values["uuid"]) from None


@engine.retried
def update(context: RequestContext, uuid: str, values: Mapping[str, Any]) -> None:
    """UPDATE a cluster in one statement that also tests the fence of the running job.

    Raises:
        ClaimLost: the job may not write any more.
        ClusterNotFound: there is none that the context may write.
        InvalidParameterValue: the uuid is among the values.
        NotAuthorized: a tenant names another project.
    """
    rows.refuse_new_uuid(values, "Cluster")
    scope.require_own(context, values.get("project_id"))
    conditions = [Cluster.uuid == uuid, *scope.writable(Cluster, context)]
    with engine.writer():
        held = fence.current()
        if held is None:
            done = rows.change(Cluster, conditions, values)
        else:
            values = held.outgoing(Cluster, uuid, values)
            done = rows.change(Cluster, [*conditions, *held.where(Cluster, uuid)], values)
        if not done:
            raise _missed(conditions, uuid, held)
        if held is not None:
            held.wrote(Cluster, uuid, values)


@engine.retried
def destroy(context: RequestContext, uuid: str) -> None:
    """DELETE a cluster's row in one statement that also tests the fence of the running job.

    Raises:
        ClaimLost: the job may not write any more.
        ClusterNotFound: there is none that the context may write.
    """
    conditions = [Cluster.uuid == uuid, *scope.writable(Cluster, context)]
    with engine.writer():
        held = fence.current()
        fenced = held.where(Cluster, uuid) if held is not None else []
        if not rows.remove(Cluster, [*conditions, *fenced]):
            raise _missed(conditions, uuid, held)
        if held is not None:
            held.wrote(Cluster, uuid, {})


def _get(context: RequestContext, **identity: Any) -> Cluster:
    try:
        row = rows.one(Cluster, **identity, **scope.readable(Cluster, context))
    except MultipleResultsFound:
        raise exception.Conflict(
            "Multiple clusters exist with same name. Please use the cluster uuid instead."
        ) from None
    if row is None:
        raise exception.ClusterNotFound(cluster=next(iter(identity.values())))
    return row


def _missed(
    conditions: scope.Conditions, uuid: str, held: fence.Fence | None
) -> exception.MagnumException:
    if held is not None and rows.present(conditions):
        return held.lost("cluster")
    return exception.ClusterNotFound(cluster=uuid)


def _where(context: RequestContext, filters: Filters) -> scope.Conditions:
    conditions = [
        *scope.where(Cluster, scope.readable(Cluster, context)),
        *rows.matching(Cluster, filters, _PLAIN),
    ]
    filters = filters or {}
    if "node_count" in filters:
        conditions.append(_sum_is(NodeGroup.role != "master", filters["node_count"]))
    if "master_count" in filters:
        conditions.append(_sum_is(NodeGroup.role == "master", filters["master_count"]))
    if "node_addresses" in filters:
        having: sa.Select[Any] = sa.select(NodeGroup.cluster_id).where(
            NodeGroup.role != "master", NodeGroup.node_addresses == filters["node_addresses"]
        )
        conditions.append(Cluster.uuid.in_(having))
    return conditions


def _sum_is(role: sa.ColumnElement[bool], size: int) -> sa.ColumnElement[bool]:
    sums: sa.Select[Any] = (
        sa.select(NodeGroup.cluster_id)
        .where(role)
        .group_by(NodeGroup.cluster_id)
        .having(sa.func.sum(NodeGroup.node_count) == size)
    )
    return Cluster.uuid.in_(sums)
