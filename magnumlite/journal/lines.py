"""Lines: what is open on each cluster, as the status sweep needs it."""

from __future__ import annotations

import dataclasses

import sqlalchemy as sa

from magnumlite.conf import CONF
from magnumlite.db import engine
from magnumlite.db.own_models import Operation
from magnumlite.journal.entries import Action, Entry, Outcome


@dataclasses.dataclass(frozen=True, slots=True)
class Line:
    """The open operations of one cluster.

    claimed: one of them runs; the cluster must not be polled.
    creating: its create is accepted and has not come back from the driver (known defect B56).
    released: those whose final state is awaited, oldest first.
    fence: id of the last operation that has started, 0 for none.
    late: the create whose deadline has passed and that is still watched.
    """

    cluster_uuid: str
    claimed: bool = False
    creating: bool = False
    released: tuple[Entry, ...] = ()
    fence: int = 0
    late: Entry | None = None

    @property
    def pollable(self) -> bool:
        """Tell whether a status poll may run now."""
        return not self.claimed and not self.creating


def lines() -> dict[str, Line]:
    """Return the line of every cluster that has one, by cluster uuid.  One query.

    `fence` is not filled in: `line` reads it together with the row.
    """
    return _lines(sa.true())


def line(cluster_uuid: str) -> Line:
    """Return the line of one cluster with its fence; an empty line for one without operations."""
    found = _lines(Operation.cluster_uuid == cluster_uuid).get(cluster_uuid, Line(cluster_uuid))
    return dataclasses.replace(found, fence=last_started(cluster_uuid))


def last_started(cluster_uuid: str) -> int:
    """Return the id of the last operation that has started on a cluster, 0 for none."""
    with engine.reader() as session:
        last = session.scalar(
            sa.select(sa.func.max(Operation.id)).where(
                Operation.cluster_uuid == cluster_uuid, Operation.started_at.is_not(None)
            )
        )
    return last or 0


def _lines(which: sa.ColumnElement[bool]) -> dict[str, Line]:
    watched = engine.seconds_ago(CONF.deadline.late_watch * 3600)
    with engine.reader() as session:
        rows = session.scalars(
            sa.select(Operation)
            .where(
                which,
                sa.or_(
                    Operation.finished_at.is_(None),
                    sa.and_(
                        Operation.outcome == Outcome.EXPIRED.value,
                        Operation.action == Action.CREATE.value,
                        Operation.finished_at > watched,
                    ),
                ),
            )
            .order_by(Operation.id)
        )
        entries = [Entry.of(row) for row in rows]
    gathered: dict[str, list[Entry]] = {}
    for entry in entries:
        gathered.setdefault(entry.cluster_uuid, []).append(entry)
    return {uuid: _line(uuid, entries) for uuid, entries in gathered.items()}


def _line(cluster_uuid: str, entries: list[Entry]) -> Line:
    late = [entry for entry in entries if entry.outcome is Outcome.EXPIRED]
    return Line(
        cluster_uuid,
        claimed=any(entry.running for entry in entries),
        creating=any(
            entry.action is Action.CREATE and entry.released_at is None and not entry.finished_at
            for entry in entries
        ),
        released=tuple(entry for entry in entries if entry.released),
        late=late[-1] if late else None,
    )
