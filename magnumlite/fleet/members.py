"""Members: the hosts of the fleet, rows of `magnumlite_host`, by the database's clock."""

from __future__ import annotations

from typing import Any, cast

import sqlalchemy as sa
from oslo_db import exception as db_exc
from sqlalchemy.orm import Session

from magnumlite.db import engine
from magnumlite.db.own_models import Host


@engine.retried
def beat(host: str, *, sweeps: bool, draining: bool) -> None:
    """Say that `host` is alive.

    sweeps: it runs the sync tasks (``[DEFAULT]periodic_enable``).
    draining: it is about to stop, so that others take its clusters at once.

    Raises:
        DBError: the database is away.
    """
    values = {"sweeps": sweeps, "draining": draining, "seen_at": engine.now()}
    try:
        with engine.writer() as session:
            if not _update(session, host, values):
                session.execute(sa.insert(Host).values(host=host, **values))
    except db_exc.DBDuplicateEntry:
        # Another process of this host was first.
        with engine.writer() as session:
            _update(session, host, values)


def live(dead_after: float) -> list[str]:
    """Return the hosts that sweep: seen within `dead_after` seconds and not draining; sorted.

    Raises:
        DBError: the database is away.
    """
    with engine.reader() as session:
        hosts = session.scalars(
            sa.select(Host.host).where(
                Host.sweeps.is_(sa.true()),
                Host.draining.is_(sa.false()),
                Host.seen_at > engine.seconds_ago(dead_after),
                # A clock that was set back must not keep a dead host alive.
                Host.seen_at < engine.seconds_ago(-dead_after),
            )
        )
        return sorted(hosts)


def _update(session: Session, host: str, values: dict[str, object]) -> bool:
    statement = sa.update(Host).where(Host.host == host).values(**values)
    result = session.execute(statement, execution_options={"synchronize_session": False})
    return bool(cast("sa.CursorResult[Any]", result).rowcount)
