"""What nobody works on any more: rows of dead processes, and rows past their deadline."""

from __future__ import annotations

import sqlalchemy as sa

from magnumlite.db import engine, models
from magnumlite.db.own_models import Operation
from magnumlite.journal.entries import Action, Entry, Outcome, cut

#: How many rows one sweep takes at a time, so that it stays short.
_BATCH = 500


def of_dead_processes(seconds: int) -> list[Entry]:
    """Return what waits or runs in processes that have not renewed it for `seconds`."""
    return _select(
        Operation.process.is_not(None),
        Operation.finished_at.is_(None),
        Operation.released_at.is_(None),
        Operation.heartbeat_at < engine.seconds_ago(seconds),
    )


def recast_before(seconds: int) -> list[Entry]:
    """Return what was given back to the broker at least `seconds` ago and has not come back."""
    return _select(
        Operation.process.is_(None),
        Operation.started_at.is_(None),
        Operation.finished_at.is_(None),
        Operation.heartbeat_at < engine.seconds_ago(seconds),
    )


def overdue() -> list[Entry]:
    """Return what is past its deadline and not finished."""
    return _select(Operation.finished_at.is_(None), Operation.deadline_at < engine.now())


def watched_before(seconds: int) -> list[Entry]:
    """Return creates that expired at least `seconds` ago and never came to an end."""
    return _select(
        Operation.outcome == Outcome.EXPIRED.value,
        Operation.action == Action.CREATE.value,
        Operation.finished_at < engine.seconds_ago(seconds),
    )


def without_cluster() -> list[Entry]:
    """Return what waits for the final state of a cluster that has no row any more."""
    return _select(
        Operation.finished_at.is_(None),
        Operation.released_at.is_not(None),
        ~sa.exists().where(models.Cluster.uuid == Operation.cluster_uuid),
    )


def unnotified(seconds: int) -> list[Entry]:
    """Return what ended at least `seconds` ago and whose event may not be out."""
    return _select(
        Operation.notified_at.is_(None), Operation.finished_at < engine.seconds_ago(seconds)
    )


def end(entry: Entry, outcome: Outcome, reason: str | None) -> bool:
    """End one of these if it is still as it was read; False if somebody was faster."""
    with engine.writer() as session:
        changed = engine.affected(
            session,
            sa.update(Operation)
            .where(*_as_read(entry))
            .values(
                finished_at=engine.now(),
                running_key=None,
                outcome=outcome.value,
                reason=cut(reason),
            ),
        )
        return bool(changed)


@engine.retried
def release(entry: Entry) -> bool:
    """Release one of these to the status sweep; False if somebody was faster."""
    with engine.writer() as session:
        changed = engine.affected(
            session,
            sa.update(Operation)
            .where(*_as_read(entry))
            .values(released_at=engine.now(), running_key=None),
        )
        return bool(changed)


@engine.retried
def prune(days: int) -> int:
    """Remove what ended more than `days` ago; return how many rows."""
    with engine.writer() as session:
        old = list(
            session.scalars(
                sa.select(Operation.id)
                .where(Operation.finished_at < engine.seconds_ago(days * 86400))
                .limit(_BATCH)
            )
        )
        if old:
            engine.affected(session, sa.delete(Operation).where(Operation.id.in_(old)))
        return len(old)


def _as_read(entry: Entry) -> list[sa.ColumnElement[bool]]:
    """Return the conditions under which the row is still what `entry` shows."""
    return [
        Operation.id == entry.id,
        Operation.finished_at.is_(None),
        Operation.started_at.is_not_distinct_from(entry.started_at),
        Operation.released_at.is_not_distinct_from(entry.released_at),
        Operation.heartbeat_at == entry.heartbeat_at,
        Operation.process.is_not_distinct_from(entry.process),
    ]


def _select(*conditions: sa.ColumnElement[bool]) -> list[Entry]:
    with engine.reader() as session:
        rows = session.scalars(
            sa.select(Operation).where(*conditions).order_by(Operation.id).limit(_BATCH)
        )
        return [Entry.of(row) for row in rows]
