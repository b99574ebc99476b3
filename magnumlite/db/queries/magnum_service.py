"""Heartbeats of conductors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_log import log
from oslo_utils import timeutils

from magnumlite import exception
from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.models import MagnumService
from magnumlite.db.queries import rows, scope

LOG = log.getLogger(__name__)


def get_by_host_and_binary(context: RequestContext, host: str, binary: str) -> MagnumService | None:
    """Return the row, or None."""
    return rows.one(MagnumService, host=host, binary=binary)


def list_all(
    context: RequestContext,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[MagnumService]:
    """Return a page of all rows.

    Raises:
        InvalidParameterValue: see :func:`rows.many`.
    """
    return rows.many(MagnumService, [], limit, marker, sort_key, sort_dir)


@engine.retried
def create(context: RequestContext, values: Mapping[str, Any]) -> MagnumService:
    """INSERT a service and return its row; or the one that is there already.

    Raises:
        NotAuthorized: the context is a tenant's.
    """
    scope.require_admin(context)
    with engine.writer() as session:
        try:
            with session.begin_nested():
                return rows.add(MagnumService, values)
        except db_exc.DBDuplicateEntry:
            host, binary = values["host"], values["binary"]
            LOG.warning("The service %(binary)s of host %(host)s is recorded already", values)
            row = rows.one(MagnumService, host=host, binary=binary)
            if row is None:
                raise
            return row


@engine.retried
def update(context: RequestContext, magnum_service_id: int, values: Mapping[str, Any]) -> None:
    """UPDATE a service; a report_count that grows also moves last_seen_up to now.

    Raises:
        MagnumServiceNotFound: there is no such row.
        NotAuthorized: the context is a tenant's.
    """
    scope.require_admin(context)
    changed: dict[Any, Any] = {getattr(MagnumService, key): values[key] for key in values}
    if "report_count" in values:
        grown = MagnumService.report_count < values["report_count"]
        last_seen_up = values.get("last_seen_up", MagnumService.last_seen_up)
        # MySQL assigns from left to right: the comparison must come before the count changes.
        changed = {
            MagnumService.last_seen_up: sa.case((grown, timeutils.utcnow()), else_=last_seen_up),
            **{c: v for c, v in changed.items() if c is not MagnumService.last_seen_up},
        }
    statement = (
        sa.update(MagnumService)
        .where(MagnumService.id == magnum_service_id)
        .ordered_values(*changed.items())
    )
    with engine.writer() as session:
        if not engine.affected(session, statement):
            raise exception.MagnumServiceNotFound(magnum_service_id=magnum_service_id)


@engine.retried
def destroy(context: RequestContext, magnum_service_id: int) -> None:
    """DELETE a service.

    Raises:
        MagnumServiceNotFound: there is no such row.
        NotAuthorized: the context is a tenant's.
    """
    scope.require_admin(context)
    if not rows.remove(MagnumService, [MagnumService.id == magnum_service_id]):
        raise exception.MagnumServiceNotFound(magnum_service_id=magnum_service_id)
