"""Quotas: a project's limit for a resource.

A tenant reads its own project's only; changing them by hand is an administrator's work, which
the API's policy decides, so that a tenant's context reaches its own project here too (B67).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oslo_db import exception as db_exc

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import Quota
from magnumlite.db.queries import rows, scope

Filters = Mapping[str, Any] | None


def get_by_id(context: RequestContext, quota_id: int) -> Quota:
    """Return the row with that integer id.

    Raises:
        QuotaNotFound: there is none that the context may read.
    """
    row = rows.one(Quota, id=quota_id, **_own(context))
    if row is None:
        raise exception.QuotaNotFound(msg=f"quota id {quota_id} .")
    return row


def get_by_project_and_resource(context: RequestContext, project_id: str, resource: str) -> Quota:
    """Return the project's limit for the resource.

    Raises:
        QuotaNotFound: there is none that the context may read.
    """
    row = rows.one(Quota, project_id=project_id, resource=resource)
    if row is None or _own(context).get("project_id", project_id) != project_id:
        raise _not_found(project_id, resource)
    return row


def list_all(
    context: RequestContext,
    filters: Filters = None,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[Quota]:
    """Return a page of the rows that the context may read.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    conditions = [
        *scope.where(Quota, _own(context)),
        *rows.matching(Quota, filters, ("resource", "project_id")),
    ]
    return rows.many(Quota, conditions, limit, marker, sort_key, sort_dir)


@engine.retried
def create(context: RequestContext, values: Mapping[str, Any]) -> Quota:
    """INSERT a limit.

    Raises:
        NotAuthorized: a tenant names another project.
        QuotaAlreadyExists: the project has one for the resource.
    """
    scope.require_own(context, values.get("project_id"))
    try:
        return rows.add(Quota, values)
    except db_exc.DBDuplicateEntry:
        raise exception.QuotaAlreadyExists(
            project_id=values["project_id"], resource=values["resource"]
        ) from None


@engine.retried
def update(context: RequestContext, project_id: str, values: Mapping[str, Any]) -> Quota:
    """UPDATE the project's limit for `values["resource"]` and return the row.

    Raises:
        NotAuthorized: a tenant names another project.
        QuotaNotFound: there is none that the context may write.
    """
    scope.require_own(context, values.get("project_id"))
    resource = values["resource"]
    with engine.writer():
        if not rows.change(Quota, _named(context, project_id, resource), values):
            raise _not_found(project_id, resource)
        return get_by_project_and_resource(context, project_id, resource)


@engine.retried
def destroy(context: RequestContext, project_id: str, resource: str) -> None:
    """DELETE exactly the project's limit for the resource (B65).

    Raises:
        QuotaNotFound: there is none that the context may write.
    """
    if not rows.remove(Quota, _named(context, project_id, resource)):
        raise _not_found(project_id, resource)


def _own(context: RequestContext) -> scope.Equals:
    return {} if context.is_admin else {"project_id": context.project_id}


def _named(context: RequestContext, project_id: str, resource: str) -> scope.Conditions:
    own = scope.where(Quota, _own(context))
    return [Quota.project_id == project_id, Quota.resource == resource, *own]


def _not_found(project_id: str, resource: str) -> exception.QuotaNotFound:
    return exception.QuotaNotFound(msg=f"project_id {project_id} resource {resource}.")
