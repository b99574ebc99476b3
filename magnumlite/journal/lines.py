"""Lines: what is open on each cluster, as the status sweep needs it."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy.orm import aliased

from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.db import engine
from magnumlite.db.models import Cluster
from magnumlite.db.own_models import Operation
from magnumlite.journal.entries import Action, Entry, Outcome

# Built once: each poll of each cluster reads its line.
_started = aliased(Operation)
_LAST_STARTED = (
    sa.select(sa.func.coalesce(sa.func.max(_started.id), 0))
    .where(_started.cluster_uuid == Cluster.uuid, _started.started_at.is_not(None))
    .scalar_subquery()
)
_OPEN = Operation.finished_at.is_(None)
_LATE = sa.and_(
    Operation.outcome == Outcome.EXPIRED.value,
    Operation.action == Action.CREATE.value,
    Operation.finished_at > engine.seconds_ago(sa.bindparam("watched", type_=sa.Float)),
)
_COUNTS = sa.or_(_OPEN, _LATE)
#: What an operation that counts means for its cluster; see `Line`.
_MEANS = (
    Operation.running_key.is_not(None).label("claims"),
    sa.and_(Operation.action == Action.CREATE.value, Operation.released_at.is_(None), _OPEN).label(
        "creates"
    ),
    sa.and_(Operation.released_at.is_not(None), _OPEN).label("released"),
    Operation.finished_at.is_not(None).label("late"),
)
_STANDINGS = sa.select(Operation.cluster_uuid, *_MEANS).where(_COUNTS)
# A second read in one transaction must show what was written between the two.
_LINE = (
    sa.select(Cluster, _LAST_STARTED.label("fence"), Operation, *_MEANS)
    .outerjoin(Operation, sa.and_(Operation.cluster_uuid == Cluster.uuid, _COUNTS))
    .where(Cluster.uuid == sa.bindparam("cluster"))
    .order_by(Operation.id)
    .execution_options(populate_existing=True)
)
_STRAYS = sa.select(Cluster.uuid, Cluster.status, Cluster.create_timeout, _LAST_STARTED).where(
    Cluster.uuid.in_(sa.bindparam("uuids", expanding=True)),
    Cluster.status.like("%_IN_PROGRESS"),
    ~sa.exists().where(Operation.cluster_uuid == Cluster.uuid, _OPEN),
)


class Standing(NamedTuple):
    """What the open operations of a cluster mean for a sweep.

    pollable: a status poll may run now; awaited: one is needed, for a final state is awaited.
    """

    pollable: bool = True
    awaited: bool = False


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


def standings() -> dict[str, Standing]:
    """Return how every cluster stands that has an open operation.  One query."""
    found: dict[str, Standing] = {}
    with engine.reader() as session:
        for uuid, claims, creates, released, late in session.execute(_STANDINGS, _watched()):
            pollable, awaited = found.get(uuid, Standing())
            found[uuid] = Standing(
                pollable and not (claims or creates), bool(awaited or released or late)
            )
    return found


def read(context: Any, cluster_uuid: str) -> tuple[Line, objects.Cluster]:
    """Return what is open on a cluster, and the cluster, as of one moment.  One query.

    A poll costs little else.

    Raises:
        ClusterNotFound: there is none.
    """
    with engine.reader() as session:
        rows = session.execute(_LINE, {"cluster": cluster_uuid, **_watched()}).all()
    if not rows:
        raise exception.ClusterNotFound(cluster=cluster_uuid)
    entries = [(Entry.of(row.Operation), row) for row in rows if row.Operation is not None]
    late = [entry for entry, row in entries if row.late]
    line = Line(
        cluster_uuid,
        claimed=any(row.claims for _, row in entries),
        creating=any(row.creates for _, row in entries),
        released=tuple(entry for entry, row in entries if row.released),
        fence=rows[0].fence,
        late=late[-1] if late else None,
    )
    cluster = objects.Cluster(context)
    return line, objects.Cluster._from_db_object(cluster, rows[0].Cluster)


def strays(cluster_uuids: Sequence[str]) -> list[Stray]:
    """Return those of the clusters that are in progress without an open operation.

    One statement, so that it does not see a cluster of before an operation's end and a journal
    of after it, or the other way round.
    """
    with engine.reader() as session:
        return [Stray(*row) for row in session.execute(_STRAYS, {"uuids": list(cluster_uuids)})]


def _watched() -> dict[str, float]:
    """Return the parameter for how many seconds a create is watched past its deadline."""
    return {"watched": float(CONF.deadline.late_watch * 3600)}
