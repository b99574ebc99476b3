"""Lines: what is open on each cluster, as the status sweep needs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from magnumlite.conf import CONF
from magnumlite.db import engine
from magnumlite.db.models import Cluster
from magnumlite.db.own_models import Operation
from magnumlite.journal.entries import Action, Entry, Outcome

# Built once: each poll of each cluster reads its line.
_started = aliased(Operation)
_LAST = sa.select(sa.func.max(_started.id)).where(
    _started.cluster_uuid == sa.bindparam("cluster"), _started.started_at.is_not(None)
)
_LINES = (
    sa.select(Operation)
    .where(
        sa.or_(
            Operation.finished_at.is_(None),
            sa.and_(
                Operation.outcome == Outcome.EXPIRED.value,
                Operation.action == Action.CREATE.value,
                Operation.finished_at > engine.seconds_ago(sa.bindparam("watched", type_=sa.Float)),
            ),
        )
    )
    .order_by(Operation.id)
)
_STRAYS = sa.select(
    Cluster.uuid,
    Cluster.status,
    Cluster.create_timeout,
    sa.select(sa.func.coalesce(sa.func.max(_started.id), 0))
    .where(_started.cluster_uuid == Cluster.uuid, _started.started_at.is_not(None))
    .scalar_subquery(),
).where(
    Cluster.uuid.in_(sa.bindparam("uuids", expanding=True)),
    Cluster.status.like("%_IN_PROGRESS"),
    ~sa.exists().where(Operation.cluster_uuid == Cluster.uuid, Operation.finished_at.is_(None)),
)
_LINE = _LINES.add_columns(_LAST.scalar_subquery()).where(
    Operation.cluster_uuid == sa.bindparam("cluster")
)


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


class Stray(NamedTuple):
    """A cluster in progress that has no open operation.

    It was inherited from magnum, or another conductor of a mixed fleet works on it.
    fence: id of the last operation that has started, 0 for none.
    """

    cluster_uuid: str
    status: str
    create_timeout: int | None
    fence: int


def lines() -> dict[str, Line]:
    """Return the line of every cluster that has one, by cluster uuid.  One query.

    `fence` is not filled in: `line` reads it together with the row.
    """
    gathered: dict[str, list[Entry]] = {}
    with engine.reader() as session:
        for row in session.scalars(_LINES, {"watched": _watched()}):
            gathered.setdefault(row.cluster_uuid, []).append(Entry.of(row))
    return {uuid: _line(uuid, entries) for uuid, entries in gathered.items()}


def line(cluster_uuid: str) -> Line:
    """Return the line of one cluster with its fence; an empty line for one without operations.

    One query for a cluster that has one: a poll costs little else.
    """
    with engine.reader() as session:
        rows = session.execute(_LINE, {"cluster": cluster_uuid, "watched": _watched()}).all()
    if not rows:
        return Line(cluster_uuid, fence=last_started(cluster_uuid))
    found = _line(cluster_uuid, [Entry.of(row) for row, _ in rows])
    return dataclasses.replace(found, fence=rows[0][1] or 0)


def last_started(cluster_uuid: str) -> int:
    """Return the id of the last operation that has started on a cluster, 0 for none."""
    with engine.reader() as session:
        return session.scalar(_LAST, {"cluster": cluster_uuid}) or 0


def strays(cluster_uuids: Sequence[str]) -> list[Stray]:
    """Return those of the clusters that are in progress without an open operation.

    One statement, so that it does not see a cluster of before an operation's end and a journal
    of after it, or the other way round.
    """
    with engine.reader() as session:
        return [Stray(*row) for row in session.execute(_STRAYS, {"uuids": list(cluster_uuids)})]


def _watched() -> float:
    """Return for how many seconds a create is watched past its deadline."""
    return float(CONF.deadline.late_watch * 3600)


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
