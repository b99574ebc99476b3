"""Cluster templates."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from oslo_db import exception as db_exc
from sqlalchemy.exc import MultipleResultsFound

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import Cluster, ClusterTemplate
from magnumlite.db.queries import rows, scope


def get_by_id(context: RequestContext, cluster_template_id: int) -> ClusterTemplate:
    """Return the row with that integer id.

    Raises:
        ClusterTemplateNotFound: there is none that the context may read.
    """
    return _get(context, id=cluster_template_id)


def get_by_uuid(context: RequestContext, uuid: str) -> ClusterTemplate:
    """Return the row with that uuid.

    Raises:
        ClusterTemplateNotFound: there is none that the context may read.
    """
    return _get(context, uuid=uuid)


def get_by_name(context: RequestContext, name: str) -> ClusterTemplate:
    """Return the only row with that name.

    Raises:
        ClusterTemplateNotFound: there is none that the context may read.
        Conflict: there are several.
    """
    return _get(context, name=name)


def list_all(
    context: RequestContext,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[ClusterTemplate]:
    """Return a page of the rows that the context may read.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    return rows.many(ClusterTemplate, _readable(context), limit, marker, sort_key, sort_dir)


def create(context: RequestContext, values: Mapping[str, Any]) -> ClusterTemplate:
    """INSERT a template.

    Raises:
        ClusterTemplateAlreadyExists: the uuid is taken.
        NotAuthorized: a tenant names another project.
    """
    scope.require_own(context, values.get("project_id"))
    try:
        return rows.insert(ClusterTemplate, values)
    except db_exc.DBDuplicateEntry:
        raise exception.ClusterTemplateAlreadyExists(uuid=values["uuid"]) from None


@engine.retried
def update(context: RequestContext, uuid: str, values: Mapping[str, Any]) -> None:
    """UPDATE a template.

    Raises:
        ClusterTemplateNotFound: there is none that the context may write.
        ClusterTemplateReferenced: a cluster uses it and more changes than how it is shown.
        InvalidParameterValue: the uuid is among the values.
        NotAuthorized: a tenant names another project.
    """
    rows.refuse_new_uuid(values, "ClusterTemplate")
    scope.require_own(context, values.get("project_id"))
    conditions = [ClusterTemplate.uuid == uuid, *scope.writable(ClusterTemplate, context)]
    with engine.writer():
        if not _harmless(values):
            _require_unused(conditions, uuid)
        if not rows.change(ClusterTemplate, conditions, values):
            raise exception.ClusterTemplateNotFound(clustertemplate=uuid)


@engine.retried
def destroy(context: RequestContext, uuid: str) -> None:
    """DELETE a template.

    Raises:
        ClusterTemplateNotFound: there is none that the context may write.
        ClusterTemplateReferenced: a cluster uses it.
    """
    conditions = [ClusterTemplate.uuid == uuid, *scope.writable(ClusterTemplate, context)]
    with engine.writer():
        _require_unused(conditions, uuid)
        if not rows.remove(ClusterTemplate, conditions):
            raise exception.ClusterTemplateNotFound(clustertemplate=uuid)


def _readable(context: RequestContext) -> scope.Conditions:
    own = scope.where(ClusterTemplate, scope.readable(ClusterTemplate, context))
    return [_own_or_shown(*own, hidden_too=bool(context.is_admin))] if own else []


def _own_or_shown(own: sa.ColumnElement[bool], *, hidden_too: bool) -> sa.ColumnElement[bool]:
    shown: sa.ColumnElement[bool] = ClusterTemplate.public.is_(True)
    if not hidden_too:
        shown = sa.and_(shown, ClusterTemplate.hidden.is_(False))
    return sa.or_(own, shown)


@functools.cache
def _by(name: str, own: str | None, hidden_too: bool) -> sa.Select[Any]:
    statement = rows.select(ClusterTemplate)
    statement = statement.where(getattr(ClusterTemplate, name) == sa.bindparam(name))
    if own is None:
        return statement
    owner: sa.ColumnElement[bool] = getattr(ClusterTemplate, own) == sa.bindparam("own")
    return statement.where(_own_or_shown(owner, hidden_too=hidden_too))


def _get(context: RequestContext, **identity: Any) -> ClusterTemplate:
    ((name, value),) = identity.items()
    own, owner = next(iter(scope.readable(ClusterTemplate, context).items()), (None, None))
    statement = _by(name, own, bool(context.is_admin))
    try:
        row = rows.fetch(statement, {name: value, **({"own": owner} if own else {})})
    except MultipleResultsFound:
        raise exception.Conflict(
            "Multiple ClusterTemplates exist with same name."
            " Please use the ClusterTemplate uuid instead."
        ) from None
    if row is None:
        raise exception.ClusterTemplateNotFound(clustertemplate=value)
    found: ClusterTemplate = row
    return found


def _harmless(values: Mapping[str, Any]) -> bool:
    """Tell whether a template in use may be changed so (contract/objects.json)."""
    if len(values) != 1:
        return False
    ((name, value),) = values.items()
    return (
        name in ("hidden", "name")
        or (name == "tags" and value is not None)
        or (name == "public" and value is True)
    )


def _require_unused(conditions: scope.Conditions, uuid: str) -> None:
    # Whose row it is comes first: a tenant must not learn that a foreign template is in use.
    if not rows.present(conditions):
        raise exception.ClusterTemplateNotFound(clustertemplate=uuid)
    if rows.present([Cluster.cluster_template_id == uuid]):
        raise exception.ClusterTemplateReferenced(clustertemplate=uuid)
