"""Reading, adding and changing rows of one table; the nouns say which and what an error means.

Reads outside a transaction wait for a database that is away as long as the work's patience lasts:
a driver that reads its cluster again must not fail because the database was started anew.
"""

from __future__ import annotations

import functools
import uuid
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_db.sqlalchemy import utils as db_utils

from magnumlite import exception
from magnumlite.db import engine, models
from magnumlite.db.queries.scope import Conditions

Row = TypeVar("Row", bound=models.Base)


def one(model: type[Row], /, **equals: Any) -> Row | None:
    """Return the row whose columns hold those values, or None.

    Raises:
        sqlalchemy.exc.MultipleResultsFound: there are several.
    """
    row: Row | None = fetch(_by(model, tuple(equals)), equals)
    return row


@engine.retried
def fetch(statement: sa.Select[Any], parameters: Mapping[str, Any]) -> Any:
    """Return the row that a kept statement finds, or None.

    Raises:
        sqlalchemy.exc.MultipleResultsFound: there are several.
    """
    with engine.reader() as session:
        return session.scalars(statement, dict(parameters)).one_or_none()


@functools.cache
def _by(model: type[models.Base], names: tuple[str, ...]) -> sa.Select[Any]:
    # Kept, because putting a statement together costs as much as running it.
    return select(model).where(*(getattr(model, name) == sa.bindparam(name) for name in names))


@engine.retried
def many(
    model: type[Row],
    conditions: Conditions,
    limit: int | None = None,
    marker: Any = None,
    sort_key: str | None = None,
    sort_dir: str | None = None,
) -> Sequence[Row]:
    """Return a page of rows, ordered by `sort_key` and id.

    `marker` is the last row or object of the page before; `sort_dir` is asc or desc, of both.

    Raises:
        InvalidParameterValue: the table has no such column, or there is no such direction.
    """
    keys = ["id"] if sort_key in (None, "id") else [sort_key, "id"]
    try:
        statement = db_utils.paginate_query(
            select(model).where(*conditions), model, limit, keys, marker, sort_dir or "asc"
        )
    except db_exc.InvalidSortKey:
        raise exception.InvalidParameterValue(
            f'The sort_key value "{sort_key}" is an invalid field for sorting'
        ) from None
    except ValueError as error:
        raise exception.InvalidParameterValue(str(error)) from None
    with engine.reader() as session:
        return session.scalars(statement).all()


@engine.retried
def count(model: type[models.Base], conditions: Conditions) -> int:
    """Return how many rows there are."""
    statement = sa.select(sa.func.count()).select_from(model).where(*conditions)
    with engine.reader() as session:
        return int(session.execute(statement).scalar_one())


def add(model: type[Row], values: Mapping[str, Any]) -> Row:
    """INSERT a row and return it, with a new uuid when it has none.

    Raises:
        DBDuplicateEntry: a unique key is taken; the transaction is lost.
    """
    row = model()
    row.update(values)
    if "uuid" in model.__table__.columns and not row["uuid"]:
        row["uuid"] = str(uuid.uuid4())
    with engine.writer() as session:
        session.add(row)
        session.flush()
    return row


def insert(model: type[Row], values: Mapping[str, Any]) -> Row:
    """INSERT a row in a transaction of its own, again when the connection breaks.

    A commit whose answer was lost may have been done: a second try looks first, so that the row
    is neither taken for somebody else's nor there twice.

    Raises:
        DBDuplicateEntry: a unique key is taken.
    """
    values = {**values, "uuid": values.get("uuid") or str(uuid.uuid4())}
    tried = False

    @engine.retried
    def write() -> Row:
        nonlocal tried
        written = one(model, uuid=values["uuid"]) if tried else None
        tried = True
        return written if written is not None else add(model, values)

    return write()


def change(model: type[models.Base], conditions: Conditions, values: Mapping[str, Any]) -> bool:
    """UPDATE in one statement; tell whether a row met the conditions."""
    if not values:
        with engine.reader() as session:
            return bool(session.execute(_exists(conditions)).scalar_one())
    statement = sa.update(model).where(*conditions).values(dict(values))
    with engine.writer() as session:
        return bool(engine.affected(session, statement))


def remove(model: type[models.Base], conditions: Conditions) -> bool:
    """DELETE in one statement; tell whether a row met the conditions."""
    with engine.writer() as session:
        return bool(engine.affected(session, sa.delete(model).where(*conditions)))


@engine.retried
def present(conditions: Conditions) -> bool:
    """Tell whether a row meets the conditions."""
    with engine.reader() as session:
        return bool(session.execute(_exists(conditions)).scalar_one())


def matching(model: Any, filters: Mapping[str, Any] | None, names: Sequence[str]) -> Conditions:
    """Return equality conditions for those filters that are named; the others do nothing.

    `status` is a list of statuses.
    """
    conditions: Conditions = []
    for name in names:
        if filters and name in filters:
            column = getattr(model, name)
            value = filters[name]
            conditions.append(column.in_(value or ()) if name == "status" else column == value)
    return conditions


def refuse_new_uuid(values: Mapping[str, Any], noun: str) -> None:
    """Refuse to change what identifies a row.

    Raises:
        InvalidParameterValue: there is a uuid among the values.
    """
    if "uuid" in values:
        raise exception.InvalidParameterValue(f"Cannot overwrite UUID for an existing {noun}.")


def select(model: type[models.Base]) -> sa.Select[Any]:
    """Return the statement that reads every row of the table."""
    # Within one transaction a second read must show what an UPDATE between the two wrote.
    return sa.select(model).execution_options(populate_existing=True)


def _exists(conditions: Conditions) -> sa.Select[Any]:
    return sa.select(sa.exists().where(*conditions))
