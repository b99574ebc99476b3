"""Federations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oslo_db import exception as db_exc
from sqlalchemy.exc import MultipleResultsFound

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import Federation
from magnumlite.db.queries import rows, scope

Filters = Mapping[str, Any] | None

_PLAIN = ("name", "project_id", "hostcluster_id", "member_ids", "properties", "status")


def get_by_id(context: RequestContext, federation_id: int) -> Federation:
    """Return the row with that integer id.

    Raises:
        FederationNotFound: there is none that the context may read.
    """
    return _get(context, id=federation_id)


def get_by_uuid(context: RequestContext, uuid: str) -> Federation:
    """Return the row with that uuid.

    Raises:
        FederationNotFound: there is none that the context may read.
    """
    return _get(context, uuid=uuid)


def get_by_name(context: RequestContext, name: str) -> Federation:
    """Return the only row with that name.

    Raises:
        Conflict: there are several.
        FederationNotFound: there is none that the context may read.
    """
    return _get(context, name=name)


def list_all(
    context: RequestContext,
    filters: Filters = None,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[Federation]:
    """Return a page of the rows that the context may read.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    return rows.many(Federation, _where(context, filters), limit, marker, sort_key, sort_dir)


def count(context: RequestContext, filters: Filters = None) -> int:
    """Return how many rows the context may read."""
    return rows.count(Federation, _where(context, filters))


def create(context: RequestContext, values: Mapping[str, Any]) -> Federation:
    """INSERT a federation.

    Raises:
        FederationAlreadyExists: the uuid is taken.
        NotAuthorized: a tenant names another project.
    """
    scope.require_own(context, values.get("project_id"))
    try:
        return rows.insert(Federation, values)
    except db_exc.DBDuplicateEntry:
        raise exception.FederationAlreadyExists(uuid=values["uuid"]) from None


@engine.retried
def update(context: RequestContext, uuid: str, values: Mapping[str, Any]) -> None:
    """UPDATE a federation.

    Raises:
        FederationNotFound: there is none that the context may write.
        InvalidParameterValue: the uuid is among the values.
        NotAuthorized: a tenant names another project.
    """
    rows.refuse_new_uuid(values, "Federation")
    scope.require_own(context, values.get("project_id"))
    conditions = [Federation.uuid == uuid, *scope.writable(Federation, context)]
    if not rows.change(Federation, conditions, values):
        raise exception.FederationNotFound(federation=uuid)


@engine.retried
def destroy(context: RequestContext, uuid: str) -> None:
    """DELETE a federation.

    Raises:
        FederationNotFound: there is none that the context may write.
    """
    conditions = [Federation.uuid == uuid, *scope.writable(Federation, context)]
    if not rows.remove(Federation, conditions):
        raise exception.FederationNotFound(federation=uuid)


def _where(context: RequestContext, filters: Filters) -> scope.Conditions:
    return [
        *scope.where(Federation, scope.readable(Federation, context)),
        *rows.matching(Federation, filters, _PLAIN),
    ]


def _get(context: RequestContext, **identity: Any) -> Federation:
    try:
        row = rows.one(Federation, **identity, **scope.readable(Federation, context))
    except MultipleResultsFound:
        raise exception.Conflict(
            "Multiple federations exist with same name. Please use the federation uuid instead."
        ) from None
    if row is None:
        raise exception.FederationNotFound(federation=next(iter(identity.values())))
    return row
