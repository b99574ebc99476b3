"""Transactions, connections and the database's clock.

Built on oslo.db's global enginefacade: it is configured from ``[database]`` at the first use,
and test fixtures of drivers configure the same facade.
"""

from __future__ import annotations

import contextlib
import functools
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

import sqlalchemy as sa
from oslo_db import api as oslo_db_api
from oslo_db import exception as db_exc
from oslo_db.sqlalchemy import enginefacade
from oslo_log import log
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.orm import Session
from sqlalchemy.pool.base import ResetStyle
from sqlalchemy.sql.functions import FunctionElement

from magnumlite import exception
from magnumlite.db import patience, texts

LOG = log.getLogger(__name__)

P = ParamSpec("P")
R = TypeVar("R")

#: Milliseconds a SQLite connection waits for another writer.
SQLITE_BUSY_TIMEOUT = 30_000

#: Seconds without a kept connection coming back after which one of the overflow is opened.
OVERFLOW_AFTER = 0.5

_context = threading.local()
#: One for each connection that the pool keeps; see :func:`_connection_kept`.
_kept: threading.Semaphore | None = None
#: When one of them came back last, by time.monotonic().
_returned_at = 0.0


def reader() -> contextlib.AbstractContextManager[Session]:
    """Open, or join, this thread's transaction for reading.

    Raises:
        MagnumException: no connection came free within ``[database]pool_timeout`` (B30).
    """
    return _transaction(enginefacade.reader, writing=False)


def writer() -> contextlib.AbstractContextManager[Session]:
    """Open, or join, this thread's transaction for writing.

    Only the outermost one commits. It must not be opened inside a :func:`reader`.

    Raises:
        MagnumException: no connection came free within ``[database]pool_timeout`` (B30).
    """
    return _transaction(enginefacade.writer, writing=True)


@contextlib.contextmanager
def _transaction(mode: Any, *, writing: bool) -> Iterator[Session]:
    if in_transaction():
        with mode.using(_context) as session:
            yield session
        return
    _context.open, _context.writing = True, writing
    try:
        with _connection_kept(), mode.using(_context) as session:
            yield session
    except sa.exc.TimeoutError as error:
        raise exception.MagnumException(
            "No database connection came free in time: every one that [database]max_pool_size "
            f"and max_overflow allow is in use ({error})"
        ) from error
    finally:
        _context.open = _context.writing = False


@contextlib.contextmanager
def _connection_kept() -> Iterator[None]:
    """Wait for one of the connections that the pool keeps, as long as any of them comes back.

    The overflow is for connections that are stuck in the database, not for busy moments: one of
    the overflow is opened for one transaction, which costs several times as much as most do.
    """
    global _returned_at
    kept = _kept
    asked = time.monotonic()
    while kept is not None and not kept.acquire(timeout=OVERFLOW_AFTER):
        if time.monotonic() - max(asked, _returned_at) >= OVERFLOW_AFTER:
            kept = None
    try:
        yield
    finally:
        if kept is not None:
            _returned_at = time.monotonic()
            kept.release()


def affected(session: Session, statement: Any) -> int:
    """Execute an UPDATE or DELETE and return how many rows it matched."""
    result: Any = session.execute(statement, execution_options={"synchronize_session": False})
    return int(result.rowcount)


def in_transaction() -> bool:
    """Tell whether this thread is inside :func:`reader` or :func:`writer`."""
    return getattr(_context, "open", False)


def _is_lock_conflict(error: Exception) -> bool:
    if not isinstance(error, db_exc.DBError | sa.exc.OperationalError):
        return False
    return "database is locked" in str(error)


_retry = oslo_db_api.wrap_db_retry(
    retry_interval=0.05,
    max_retry_interval=2,
    max_retries=20,
    inc_retry_interval=True,
    retry_on_deadlock=True,
    exception_checker=_is_lock_conflict,
)


def retried(function: Callable[P, R]) -> Callable[P, R]:
    """Run a function that opens a transaction again when the database broke a deadlock.

    While the database is away it waits as long as the work's :mod:`patience` lasts. Inside an
    open transaction it is called once: only the owner of the whole transaction can start it
    again.
    """
    again: Callable[P, R] = _retry(function)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        if in_transaction():
            return function(*args, **kwargs)
        result: R = patience.outlast(again, *args, **kwargs)
        return result

    return call


def engine() -> sa.Engine:
    """Return the engine of the writers; made from ``[database]`` when there is none."""
    made: sa.Engine = enginefacade.writer.get_engine()
    return made


def dispose() -> None:
    """Close the connections and forget the engine; the next use reads ``[database]`` again.

    Also to be called in a process that was forked with an engine open.
    """
    enginefacade._context_manager.dispose_pool()
    enginefacade._context_manager.patch_factory(enginefacade.transaction_context())
    _attend()


def _attend() -> None:
    """Have the engine that will be made prepared, and threads not yield at each check-in."""
    enginefacade._context_manager.configure(thread_checkin=False)
    enginefacade._context_manager.append_on_engine_create(_prepare)


def _prepare(made: sa.Engine) -> None:
    global _kept
    _kept = None
    if isinstance(made.pool, sa.pool.QueuePool):
        _kept = threading.Semaphore(made.pool.size())
    # Sessions and connections end their transactions themselves, so that the pool's own ROLLBACK at
    # each check-in would only be one more round trip; create_engine() of oslo.db has no parameter.
    made.pool._reset_on_return = ResetStyle.reset_none
    texts.learn_charsets(made)
    if made.dialect.name == "sqlite":
        _share_sqlite(made)


def _share_sqlite(made: sa.Engine) -> None:
    """Make threads and processes share a SQLite file: WAL, and writers that queue."""

    @sa.event.listens_for(made, "connect")
    def connected(connection: Any, record: Any) -> None:
        connection.execute(f"PRAGMA busy_timeout = {SQLITE_BUSY_TIMEOUT}")

    @sa.event.listens_for(made, "before_cursor_execute", retval=True)
    def executing(
        connection: Any, cursor: Any, statement: str, parameters: Any, context: Any, many: bool
    ) -> tuple[str, Any]:
        # oslo.db begins a deferred transaction, which takes its lock at the first write: ids
        # could be given in another order than commits, and the first write may fail at once.
        if statement == "BEGIN" and getattr(_context, "writing", False):
            statement = "BEGIN IMMEDIATE"
        return statement, parameters

    if made.url.database not in (None, "", ":memory:"):
        raw = made.raw_connection()
        try:
            raw.cursor().execute("PRAGMA journal_mode = WAL")
        finally:
            raw.close()


_attend()


def now() -> sa.ColumnElement[Any]:
    """Return the database's clock as SQL: UTC, microseconds, comparable with ``DateTime(6)``."""
    return _SecondsAgo(sa.literal(0, sa.Integer))


def seconds_ago(seconds: float | sa.ColumnElement[Any]) -> sa.ColumnElement[Any]:
    """Return :func:`now` less ``seconds`` as SQL; negative ones lie ahead."""
    if isinstance(seconds, int | float):
        seconds = sa.literal(float(seconds), sa.Float)
    return _SecondsAgo(seconds)


def elapsed(since: Any) -> sa.ColumnElement[Any]:
    """Return the seconds from ``since`` (a UTC ``DateTime`` column) to :func:`now` as SQL."""
    return _Elapsed(since)


@sa.event.listens_for(sa.Engine, "do_connect")
def _connect(dialect: Any, record: Any, arguments: Any, options: Any) -> Any:
    """Make PyMySQL's connections lighter; other databases do without PyMySQL."""
    if dialect.driver != "pymysql":
        return None
    from magnumlite.db import mysql

    return mysql.LightConnection(*arguments, **options)


class _SecondsAgo(FunctionElement[Any]):
    type = sa.DateTime()
    inherit_cache = True


class _Elapsed(FunctionElement[Any]):
    type = sa.Float()
    inherit_cache = True


@compiles(_SecondsAgo, "sqlite")
def _ago_sqlite(element: _SecondsAgo, compiler: Any, **kw: Any) -> str:
    ago = compiler.process(element.clauses, **kw)
    return f"(strftime('%Y-%m-%d %H:%M:%f', 'now', (-({ago})) || ' seconds') || '000')"


@compiles(_SecondsAgo, "mysql")
@compiles(_SecondsAgo, "mariadb")
def _ago_mysql(element: _SecondsAgo, compiler: Any, **kw: Any) -> str:
    return f"(UTC_TIMESTAMP(6) - INTERVAL {compiler.process(element.clauses, **kw)} SECOND)"


@compiles(_SecondsAgo, "postgresql")
def _ago_postgresql(element: _SecondsAgo, compiler: Any, **kw: Any) -> str:
    ago = compiler.process(element.clauses, **kw)
    return (
        "((clock_timestamp() AT TIME ZONE 'UTC')"
        f" - CAST({ago} AS DOUBLE PRECISION) * INTERVAL '1 second')"
    )


@compiles(_Elapsed, "sqlite")
def _elapsed_sqlite(element: _Elapsed, compiler: Any, **kw: Any) -> str:
    since = compiler.process(element.clauses, **kw)
    return f"((julianday('now') - julianday({since})) * 86400.0)"


@compiles(_Elapsed, "mysql")
@compiles(_Elapsed, "mariadb")
def _elapsed_mysql(element: _Elapsed, compiler: Any, **kw: Any) -> str:
    since = compiler.process(element.clauses, **kw)
    return f"(TIMESTAMPDIFF(MICROSECOND, {since}, UTC_TIMESTAMP(6)) / 1000000.0)"


@compiles(_Elapsed, "postgresql")
def _elapsed_postgresql(element: _Elapsed, compiler: Any, **kw: Any) -> str:
    since = compiler.process(element.clauses, **kw)
    return f"EXTRACT(EPOCH FROM ((clock_timestamp() AT TIME ZONE 'UTC') - {since}))"
