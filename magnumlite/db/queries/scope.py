"""Which rows a context reaches (contract/objects.json `db_semantics`, known defects B67)."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from magnumlite import exception
from magnumlite.context import RequestContext

Conditions = list[sa.ColumnElement[bool]]
#: What columns must hold.
Equals = dict[str, Any]


def readable(model: Any, context: RequestContext) -> Equals:
    """Return what rows to read hold: an all-tenants administrator sees every row.

    Anybody else, administrators too, sees the rows of the context's project, or of its user
    when it has no project.
    """
    if context.is_admin and context.all_tenants:
        return {}
    return _own(model, context)


def writable(model: Any, context: RequestContext) -> Conditions:
    """Return the conditions for UPDATE and DELETE: administrators reach every row."""
    return [] if context.is_admin else where(model, _own(model, context))


def where(model: Any, equals: Equals) -> Conditions:
    """Return the conditions; a value of None, such as a context without user, meets no row."""
    return [
        column == sa.literal(value, column.type)
        for column, value in ((model.__table__.c[name], value) for name, value in equals.items())
    ]


def _own(model: Any, context: RequestContext) -> Equals:
    if context.project_id or not hasattr(model, "user_id"):
        return {"project_id": context.project_id}
    return {"user_id": context.user_id}


def require_own(context: RequestContext, project_id: str | None) -> None:
    """Refuse a tenant that names a project which is not its own.

    Raises:
        NotAuthorized: `project_id` is another project's.
    """
    if not context.is_admin and project_id and project_id != context.project_id:
        raise exception.NotAuthorized()


def require_admin(context: RequestContext) -> None:
    """Refuse everybody but administrators.

    Raises:
        NotAuthorized: the context is a tenant's.
    """
    if not context.is_admin:
        raise exception.NotAuthorized()
