"""Claims: who may run the one running operation of a cluster.

The claim is the unique nullable column `running_key`: of two that set it for one cluster the
database lets one through (DESIGN section 4, "Claims").
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_log import log as logging
from sqlalchemy.orm import aliased

from magnumlite.db import engine
from magnumlite.db.own_models import Operation
from magnumlite.journal.entries import Action, Entry, Outcome, Process

LOG = logging.getLogger(__name__)


def heads(process: Process, limit: int) -> list[int]:
    """Return ids of this process's waiting operations that are first in their cluster's line.

    At most `limit`, oldest first.  An operation that runs, or an older one that waits anywhere
    in the fleet, holds its cluster's line.
    """
    ahead = aliased(Operation)
    with engine.reader() as session:
        return list(
            session.scalars(
                sa.select(Operation.id)
                .where(
                    Operation.process == process.name,
                    Operation.started_at.is_(None),
                    Operation.finished_at.is_(None),
                    ~sa.exists().where(
                        ahead.cluster_uuid == Operation.cluster_uuid,
                        ahead.finished_at.is_(None),
                        sa.or_(
                            ahead.running_key.is_not(None),
                            sa.and_(ahead.started_at.is_(None), ahead.id < Operation.id),
                        ),
                    ),
                )
                .order_by(Operation.id)
                .limit(limit)
            )
        )


def claim(process: Process, operation_id: int, cluster_uuid: str) -> bool:
    """Take the claim on a cluster for one waiting operation; False if somebody else has it.

    On Galera a lost race is a deadlock at commit; it is a loss like the duplicate key.
    """
    now = engine.now()
    try:
        with engine.writer() as session:
            changed = engine.affected(
                session,
                sa.update(Operation)
                .where(
                    Operation.id == operation_id,
                    Operation.process == process.name,
                    Operation.started_at.is_(None),
                    Operation.finished_at.is_(None),
                )
                .values(running_key=cluster_uuid, started_at=now, heartbeat_at=now),
            )
            return bool(changed)
    except (db_exc.DBDuplicateEntry, db_exc.DBDeadlock):
        return False


def overdue_deletes(process: Process, seconds: int) -> list[Entry]:
    """Return this process's deletes that have waited for at least `seconds`."""
    with engine.reader() as session:
        rows = session.scalars(
            sa.select(Operation).where(
                Operation.process == process.name,
                Operation.action == Action.DELETE.value,
                Operation.started_at.is_(None),
                Operation.finished_at.is_(None),
                Operation.accepted_at <= engine.seconds_ago(seconds),
            )
        )
        return [Entry.of(row) for row in rows]


@engine.retried
def supersede(delete: Entry) -> list[Entry]:
    """End what holds up a delete that has waited long enough; return what was ended.

    The holder of the claim and all that waits before the delete end as superseded.  Their driver
    calls cannot be recalled, but their fences stop every write.
    """
    with engine.writer() as session:
        rows = session.scalars(
            sa.select(Operation).where(
                Operation.cluster_uuid == delete.cluster_uuid,
                Operation.finished_at.is_(None),
                Operation.id != delete.id,
                sa.or_(
                    Operation.running_key.is_not(None),
                    sa.and_(Operation.started_at.is_(None), Operation.id < delete.id),
                ),
            )
        ).all()
        ended = []
        for row in rows:
            entry = Entry.of(row)
            changed = engine.affected(
                session,
                sa.update(Operation)
                .where(
                    Operation.id == row.id,
                    Operation.finished_at.is_(None),
                    Operation.released_at.is_(None),
                )
                .values(
                    running_key=None,
                    finished_at=engine.now(),
                    outcome=Outcome.SUPERSEDED.value,
                    reason=f"superseded by delete {delete.uuid}",
                ),
            )
            if changed:
                ended.append(entry)
        return ended


@engine.retried
def renew(process: Process, forsaken: Collection[int] = ()) -> int:
    """Renew all that this process holds, waiting and running, in one statement.

    Except `forsaken`: recovery ends what nobody works on.
    """
    with engine.writer() as session:
        return engine.affected(
            session,
            sa.update(Operation)
            .where(
                Operation.process == process.name,
                Operation.finished_at.is_(None),
                Operation.released_at.is_(None),
                Operation.id.not_in(forsaken),
            )
            .values(heartbeat_at=engine.now()),
        )


@engine.retried
def give_back(process: Process, operation_ids: list[int]) -> list[int]:
    """Mark waiting operations as back on the broker; return those that really still waited."""
    with engine.writer() as session:
        waiting = list(
            session.scalars(
                sa.select(Operation.id)
                .where(
                    Operation.id.in_(operation_ids),
                    Operation.process == process.name,
                    Operation.started_at.is_(None),
                    Operation.finished_at.is_(None),
                )
                .with_for_update()
            )
        )
        engine.affected(
            session,
            sa.update(Operation)
            .where(Operation.id.in_(waiting))
            .values(process=None, heartbeat_at=engine.now()),
        )
        return waiting


@engine.retried
def take_back(process: Process, operation_id: int) -> None:
    """Undo give_back for an operation that the broker did not take."""
    with engine.writer() as session:
        engine.affected(
            session,
            sa.update(Operation)
            .where(Operation.id == operation_id, Operation.process.is_(None))
            .values(process=process.name),
        )


def holding(process: Process) -> list[Entry]:
    """Return what this process still runs, oldest first."""
    with engine.reader() as session:
        rows = session.scalars(
            sa.select(Operation)
            .where(Operation.process == process.name, Operation.running_key.is_not(None))
            .order_by(Operation.id)
        )
        return [Entry.of(row) for row in rows]


def still_waiting(process: Process) -> set[int]:
    """Return ids of this process's operations that wait."""
    with engine.reader() as session:
        return set(
            session.scalars(
                sa.select(Operation.id).where(
                    Operation.process == process.name,
                    Operation.started_at.is_(None),
                    Operation.finished_at.is_(None),
                )
            )
        )


@engine.retried
def open_calls(cluster_uuid: str, actions: frozenset[Action]) -> bool:
    """Tell whether one of `actions` is accepted and not yet released on a cluster."""
    with engine.reader() as session:
        return bool(
            session.scalar(
                sa.select(sa.func.count())
                .select_from(Operation)
                .where(
                    Operation.cluster_uuid == cluster_uuid,
                    Operation.action.in_([action.value for action in actions]),
                    Operation.finished_at.is_(None),
                    Operation.released_at.is_(None),
                )
            )
        )


def busy(cluster_uuid: str) -> bool:
    """Tell whether any operation of a cluster waits or runs."""
    return open_calls(cluster_uuid, frozenset(Action))
