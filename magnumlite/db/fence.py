"""Fences: what a job that was overtaken may no longer write.

A driver call or a status poll can outlive its right to a cluster: the process was stopped and
woke up, a delete took over, a newer operation has run.  Each job therefore carries a fence, and
every UPDATE and DELETE of the cluster's rows inside the job tests it in the same statement.  When
the test fails nothing is written and ClaimLost is raised (DESIGN section 4, "Fences"; known
defects B02, B21).  Saves without a job, as through indirection, are not fenced.

The fence travels with the thread (a context variable): a driver that saves from threads of its
own saves unfenced.
"""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Collection, Iterator, Mapping
from typing import Any

import sqlalchemy as sa

from magnumlite import exception
from magnumlite.db import models
from magnumlite.db.own_models import Operation

_CURRENT: contextvars.ContextVar[Fence | None] = contextvars.ContextVar("fence", default=None)


class Fence:
    """The right of one job to write the rows of one cluster."""

    def __init__(self, cluster_uuid: str) -> None:
        self.cluster_uuid = cluster_uuid
        #: How many statements went through, so that a failure can tell "before any change".
        self.writes = 0

    def where(self, model: type[Any], cluster_uuid: str) -> list[sa.ColumnElement[bool]]:
        """Return the conditions that a statement on a row of `cluster_uuid` has to carry.

        `model` is models.Cluster or models.NodeGroup.  Rows of other clusters are not fenced.
        """
        return self._conditions(model) if cluster_uuid == self.cluster_uuid else []

    def outgoing(
        self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return what may be written of `values`; what is withheld stays with the fence."""
        return dict(values)

    def wrote(self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]) -> None:
        """Take note of a statement that went through."""
        if cluster_uuid == self.cluster_uuid:
            self.writes += 1

    def shown(self, cluster_uuid: str, status: str | None) -> str | None:
        """Return the status that a cluster row read inside the job shows."""
        return status

    def lost(self, what: str = "cluster") -> exception.ClaimLost:
        """Return the error for a statement on `what`, cluster or nodegroup, that was stopped."""
        return exception.ClaimLost(cluster_uuid=self.cluster_uuid, what=what)

    def _conditions(self, model: type[Any]) -> list[sa.ColumnElement[bool]]:
        raise NotImplementedError


class OperationFence(Fence):
    """An operation writes only while its journal row holds the claim on the cluster.

    And not over a cluster in one of the statuses `not_over`: magnum's own conductor, which may
    work beside this one, asks for no claim before it deletes.
    """

    def __init__(
        self, cluster_uuid: str, operation_id: int, *, not_over: Collection[str] = ()
    ) -> None:
        super().__init__(cluster_uuid)
        self.operation_id = operation_id
        self.not_over = sorted(not_over)

    def _conditions(self, model: type[Any]) -> list[sa.ColumnElement[bool]]:
        conditions: list[sa.ColumnElement[bool]] = [
            sa.exists().where(
                Operation.id == self.operation_id, Operation.running_key == self.cluster_uuid
            )
        ]
        if model is models.Cluster and self.not_over:
            status: Any = models.Cluster.status
            conditions.append(sa.or_(status.is_(None), status.not_in(self.not_over)))
        return conditions


class PollFence(Fence):
    """A poll writes only while no operation has started since the row was read.

    The cluster's status must also be as it was read, or as the poll itself wrote it.  A final
    success is withheld while a nodegroup is still in progress (known defect B34): `withheld`
    then holds what the driver wanted to write, and the end of the poll decides.  With `late`, a
    create whose deadline has passed, the row shows CREATE_IN_PROGRESS to the driver, because
    drivers complete a cluster only from there.
    """

    def __init__(
        self, cluster_uuid: str, last_started: int, status: str | None, *, late: bool = False
    ) -> None:
        super().__init__(cluster_uuid)
        self.last_started = last_started
        self.status = status
        self.late = late
        #: Nodegroups whose status the driver has written in this poll.
        self.nodegroups_settled = 0
        self.withheld: dict[str, Any] = {}
        self._believed = False

    def believe(self) -> None:
        """Withhold nothing from now on."""
        self._believed = True

    def outgoing(
        self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Hold back what the row must not show yet: see the class."""
        if model is not models.Cluster or cluster_uuid != self.cluster_uuid:
            return dict(values)
        status = values.get("status")
        kept = {"status", "status_reason"}
        if status is None and not (self.late and "status_reason" in values):
            return dict(values)
        if self.late and status in (None, "CREATE_IN_PROGRESS"):
            return {key: value for key, value in values.items() if key not in kept}
        if not self._premature(status):
            self.withheld = {}
            return dict(values)
        self.withheld = {key: value for key, value in values.items() if key in kept}
        return {key: value for key, value in values.items() if key not in kept}

    def wrote(self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]) -> None:
        """Remember the status that the poll itself has put into the row."""
        super().wrote(model, cluster_uuid, values)
        if cluster_uuid != self.cluster_uuid or "status" not in values:
            return
        if model is models.Cluster:
            self.status = values["status"]
        else:
            self.nodegroups_settled += 1

    def shown(self, cluster_uuid: str, status: str | None) -> str | None:
        """Show a late create as still in progress."""
        if self.late and cluster_uuid == self.cluster_uuid and status == "CREATE_FAILED":
            return "CREATE_IN_PROGRESS"
        return status

    def _premature(self, status: str | None) -> bool:
        if self._believed or status is None or status == "DELETE_COMPLETE":
            return False
        if not status.endswith("_COMPLETE"):
            return False
        from magnumlite.db.queries import nodegroup

        return nodegroup.any_in_progress(self.cluster_uuid)

    def _conditions(self, model: type[Any]) -> list[sa.ColumnElement[bool]]:
        overtaken = sa.exists().where(
            Operation.cluster_uuid == self.cluster_uuid,
            sa.or_(
                Operation.running_key.is_not(None),
                sa.and_(Operation.id > self.last_started, Operation.started_at.is_not(None)),
            ),
        )
        as_read: sa.ColumnElement[bool] = models.Cluster.status.is_not_distinct_from(self.status)
        if model is not models.Cluster:
            as_read = sa.exists().where(models.Cluster.uuid == self.cluster_uuid, as_read)
        return [~overtaken, as_read]


class MonitorFence(PollFence):
    """A health check writes what a poll may, but no size of a nodegroup while `changing`.

    An operation may have set another one, and the cloud be on its way there (known defect B57).
    """

    def __init__(
        self, cluster_uuid: str, last_started: int, status: str | None, *, changing: bool
    ) -> None:
        super().__init__(cluster_uuid, last_started, status)
        self.changing = changing

    def outgoing(
        self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Leave the size out."""
        values = super().outgoing(model, cluster_uuid, values)
        if model is models.NodeGroup and self.changing:
            values.pop("node_count", None)
        return values


def current() -> Fence | None:
    """Return the fence of the job that runs in this thread, or None."""
    return _CURRENT.get()


@contextlib.contextmanager
def holding(fence: Fence) -> Iterator[Fence]:
    """Put every save of this thread behind `fence` until the block ends."""
    token = _CURRENT.set(fence)
    try:
        yield fence
    finally:
        _CURRENT.reset(token)


@contextlib.contextmanager
def lifted() -> Iterator[None]:
    """Save without a fence inside the block, for what must be written whoever holds the claim."""
    token = _CURRENT.set(None)
    try:
        yield
    finally:
        _CURRENT.reset(token)
