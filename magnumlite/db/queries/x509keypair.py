"""Certificates and keys of the x509keypair store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from oslo_db import exception as db_exc

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import X509KeyPair
from magnumlite.db.queries import rows, scope

Filters = Mapping[str, Any] | None


def get_by_id(context: RequestContext, x509keypair_id: int) -> X509KeyPair:
    """Return the row with that integer id.

    Raises:
        X509KeyPairNotFound: there is none that the context may read.
    """
    return _get(context, id=x509keypair_id)


def get_by_uuid(context: RequestContext, uuid: str) -> X509KeyPair:
    """Return the row with that uuid.

    Raises:
        X509KeyPairNotFound: there is none that the context may read.
    """
    return _get(context, uuid=uuid)


def list_all(
    context: RequestContext,
    filters: Filters = None,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[X509KeyPair]:
    """Return a page of the rows that the context may read.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    conditions = [
        *scope.where(X509KeyPair, scope.readable(X509KeyPair, context)),
        *rows.matching(X509KeyPair, filters, ("project_id", "user_id")),
    ]
    return rows.many(X509KeyPair, conditions, limit, marker, sort_key, sort_dir)


def create(context: RequestContext, values: Mapping[str, Any]) -> X509KeyPair:
    """INSERT a key pair.

    Raises:
        NotAuthorized: a tenant names another project.
        X509KeyPairAlreadyExists: the uuid is taken.
    """
    scope.require_own(context, values.get("project_id"))
    try:
        return rows.insert(X509KeyPair, values)
    except db_exc.DBDuplicateEntry:
        raise exception.X509KeyPairAlreadyExists(uuid=values["uuid"]) from None


@engine.retried
def update(context: RequestContext, uuid: str, values: Mapping[str, Any]) -> None:
    """UPDATE a key pair.

    Raises:
        InvalidParameterValue: the uuid is among the values.
        NotAuthorized: a tenant names another project.
        X509KeyPairNotFound: there is none that the context may write.
    """
    rows.refuse_new_uuid(values, "KeyPair")
    scope.require_own(context, values.get("project_id"))
    conditions = [X509KeyPair.uuid == uuid, *scope.writable(X509KeyPair, context)]
    if not rows.change(X509KeyPair, conditions, values):
        raise exception.X509KeyPairNotFound(x509keypair=uuid)


@engine.retried
def destroy(context: RequestContext, uuid: str) -> None:
    """DELETE a key pair.

    Raises:
        X509KeyPairNotFound: there is none that the context may write.
    """
    conditions = [X509KeyPair.uuid == uuid, *scope.writable(X509KeyPair, context)]
    if not rows.remove(X509KeyPair, conditions):
        raise exception.X509KeyPairNotFound(x509keypair=uuid)


def _get(context: RequestContext, **identity: Any) -> X509KeyPair:
    row = rows.one(X509KeyPair, **identity, **scope.readable(X509KeyPair, context))
    if row is None:
        raise exception.X509KeyPairNotFound(x509keypair=next(iter(identity.values())))
    return row
