"""Rows of the journal: accepting, releasing and finishing operations."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_utils import uuidutils

from magnumlite import exception
from magnumlite.db import engine, models
from magnumlite.db.own_models import Operation

#: A reason is cut to this many characters: the journal explains, it does not archive.
REASON_LENGTH = 4000


class Action(enum.StrEnum):
    """What an operation does to its cluster."""

    CREATE = "create"
    UPDATE = "update"
    RESIZE = "resize"
    UPGRADE = "upgrade"
    DELETE = "delete"
    NODEGROUP_CREATE = "nodegroup_create"
    NODEGROUP_UPDATE = "nodegroup_update"
    NODEGROUP_DELETE = "nodegroup_delete"
    ROTATE_CA = "rotate_ca"
    ROTATE_CREDENTIAL = "rotate_credential"


class Outcome(enum.StrEnum):
    """How an operation ended."""

    SUCCEEDED = "succeeded"
    UNCHANGED = "unchanged"
    FAILED = "failed"
    REFUSED = "refused"
    SUPERSEDED = "superseded"
    EXPIRED = "expired"
    LOST = "lost"


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """One row of the journal as it was read."""

    id: int
    uuid: str
    cluster_uuid: str
    nodegroup_uuid: str | None
    action: Action
    project_id: str | None
    user_id: str | None
    request_id: str | None
    host: str | None
    process: str | None
    running: bool
    accepted_at: datetime.datetime
    heartbeat_at: datetime.datetime
    started_at: datetime.datetime | None
    entered_at: datetime.datetime | None
    released_at: datetime.datetime | None
    deadline_at: datetime.datetime | None
    finished_at: datetime.datetime | None
    outcome: Outcome | None
    reason: str | None

    @classmethod
    def of(cls, row: Operation) -> Entry:
        """Return the entry of a row."""
        return cls(
            id=row.id,
            uuid=row.uuid,
            cluster_uuid=row.cluster_uuid,
            nodegroup_uuid=row.nodegroup_uuid,
            action=Action(row.action),
            project_id=row.project_id,
            user_id=row.user_id,
            request_id=row.request_id,
            host=row.host,
            process=row.process,
            running=row.running_key is not None,
            accepted_at=row.accepted_at,
            heartbeat_at=row.heartbeat_at,
            started_at=row.started_at,
            entered_at=row.entered_at,
            released_at=row.released_at,
            deadline_at=row.deadline_at,
            finished_at=row.finished_at,
            outcome=Outcome(row.outcome) if row.outcome else None,
            reason=row.reason,
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Process:
    """The process that accepts and runs operations; `name` is unique to one start of it."""

    host: str
    name: str


def accept(
    context: Any,
    process: Process,
    action: Action,
    cluster_uuid: str,
    *,
    nodegroup_uuid: str | None = None,
    uuid: str | None = None,
) -> Entry:
    """Accept one operation, or take back one that a stopping process has cast again.

    Runs inside the caller's writer transaction if there is one, so that what the operation
    creates appears together with its row.  The cluster's row is locked first: ids of one cluster
    are then in the order of their commits, also between hosts.  `uuid` is the operation's own
    when it comes back from the broker (DESIGN section 2, TERM).

    Raises:
        OperationGone: `uuid` is known and its operation has begun or ended already.
    """
    with engine.writer() as session:
        session.execute(
            sa.select(models.Cluster.id)
            .where(models.Cluster.uuid == cluster_uuid)
            .with_for_update()
        )
        if uuid:
            retaken = engine.affected(
                session,
                sa.update(Operation)
                .where(
                    Operation.uuid == uuid,
                    Operation.started_at.is_(None),
                    Operation.finished_at.is_(None),
                )
                .values(host=process.host, process=process.name, heartbeat_at=engine.now()),
            )
            known = session.scalars(sa.select(Operation).where(Operation.uuid == uuid)).first()
            if known is not None:
                if not retaken:
                    raise exception.OperationGone(operation=uuid)
                session.refresh(known)
                return Entry.of(known)
        row = Operation(
            uuid=uuid or uuidutils.generate_uuid(),
            cluster_uuid=cluster_uuid,
            nodegroup_uuid=nodegroup_uuid,
            action=action.value,
            project_id=context.project_id,
            user_id=context.user_id,
            request_id=context.request_id,
            host=process.host,
            process=process.name,
            accepted_at=engine.now(),
            heartbeat_at=engine.now(),
        )
        session.add(row)
        session.flush()
        session.refresh(row)
        return Entry.of(row)


@dataclasses.dataclass(frozen=True, slots=True)
class Adoption:
    """A cluster in progress that has no open operation.

    It was inherited from magnum, or another conductor of a mixed fleet works on it (DESIGN
    section 4, "Two ends").  `token` names the occasion: two hosts that adopt at once write one
    row.  `deadline` is in seconds from the adoption.
    """

    cluster_uuid: str
    action: Action
    token: str
    deadline: int | None = None


def adopt(adoptions: Sequence[Adoption]) -> bool:
    """Write a released row for each; False, and none is written, if one of them has one already.

    One transaction and a statement for many.
    """
    try:
        with engine.writer() as session:
            now = session.scalars(sa.select(engine.now())).one()
            rows = [
                {
                    "uuid": each.token,
                    "cluster_uuid": each.cluster_uuid,
                    "action": each.action.value,
                    "accepted_at": now,
                    "heartbeat_at": now,
                    "started_at": now,
                    "entered_at": now,
                    "released_at": now,
                    "deadline_at": None
                    if each.deadline is None
                    else now + datetime.timedelta(seconds=each.deadline),
                }
                for each in adoptions
            ]
            session.execute(sa.insert(Operation), rows)
    except db_exc.DBDuplicateEntry:
        return False
    return True


@engine.retried
def enter(operation_id: int) -> bool:
    """Note that the driver is about to be called; False if the claim is gone."""
    return _update(operation_id, {"entered_at": engine.now()}, Operation.running_key.is_not(None))


@engine.retried
def release(operation_id: int) -> bool:
    """Give the claim back: the driver has returned; False if the claim is gone."""
    return _update(
        operation_id,
        {"released_at": engine.now(), "running_key": None},
        Operation.running_key.is_not(None),
    )


@engine.retried
def finish(
    operation_id: int, outcome: Outcome, reason: str | None = None, *, notified: bool = False
) -> bool:
    """End an operation; False if it had ended before.

    `notified` tells that its final event is out, or that it has none.
    """
    values: dict[str, Any] = {
        "finished_at": engine.now(),
        "running_key": None,
        "outcome": outcome.value,
        "reason": cut(reason),
    }
    if notified:
        values["notified_at"] = engine.now()
    return _update(operation_id, values, Operation.finished_at.is_(None))


@engine.retried
def note(operation_id: int, text: str) -> None:
    """Keep a text with an operation while it runs; its reason takes the place."""
    _update(operation_id, {"reason": cut(text)}, Operation.running_key.is_not(None))


@engine.retried
def abandon(operation_id: int, reason: str) -> bool:
    """End an operation as failed if it still holds its claim; its event is left to recovery."""
    return _update(
        operation_id,
        {
            "finished_at": engine.now(),
            "running_key": None,
            "outcome": Outcome.FAILED.value,
            "reason": cut(reason),
        },
        Operation.running_key.is_not(None),
    )


@engine.retried
def notified(operation_ids: list[int]) -> None:
    """Note that the final event of these operations is out."""
    with engine.writer() as session:
        engine.affected(
            session,
            sa.update(Operation)
            .where(Operation.id.in_(operation_ids))
            .values(notified_at=engine.now()),
        )


@engine.retried
def close(
    cluster_uuid: str,
    operation_ids: list[int],
    outcome: Outcome,
    reason: str | None = None,
) -> bool:
    """End operations of a cluster together; True for the one caller that ended any of them."""
    with engine.writer() as session:
        changed = engine.affected(
            session,
            sa.update(Operation)
            .where(
                Operation.cluster_uuid == cluster_uuid,
                Operation.id.in_(operation_ids),
                Operation.finished_at.is_(None),
            )
            .values(
                finished_at=engine.now(),
                running_key=None,
                outcome=outcome.value,
                reason=cut(reason),
            ),
        )
        return bool(changed)


def end_with_cluster(cluster_uuid: str) -> list[int]:
    """End all operations of a cluster that is being removed; return their ids.

    Runs inside the transaction that removes the rows: deletes have succeeded, whatever else was
    open is superseded.
    """
    with engine.writer() as session:
        still_open = Operation.cluster_uuid == cluster_uuid, Operation.finished_at.is_(None)
        ids = list(session.scalars(sa.select(Operation.id).where(*still_open)))
        deleted = Operation.action == Action.DELETE.value
        engine.affected(
            session,
            sa.update(Operation)
            .where(*still_open)
            .values(
                finished_at=engine.now(),
                running_key=None,
                outcome=sa.case((deleted, Outcome.SUCCEEDED.value), else_=Outcome.SUPERSEDED.value),
                reason=sa.case((deleted, sa.null()), else_="the cluster was deleted"),
            ),
        )
        return ids


@engine.retried
def reconsider(operation_id: int, outcome: Outcome) -> bool:
    """Give an expired operation its real outcome, to be told; True for the one caller that did."""
    return _update(
        operation_id,
        {"outcome": outcome.value, "finished_at": engine.now(), "notified_at": None},
        Operation.outcome == Outcome.EXPIRED.value,
    )


@engine.retried
def holds(operation_id: int) -> bool:
    """Tell whether an operation has its claim still."""
    with engine.reader() as session:
        held = Operation.id == operation_id, Operation.running_key.is_not(None)
        return session.scalar(sa.select(Operation.id).where(*held)) is not None


@engine.retried
def expire_at(operation_id: int, seconds: int) -> None:
    """Set the deadline of an operation, `seconds` from now."""
    _update(operation_id, {"deadline_at": engine.seconds_ago(-seconds)})


def known(uuid: str) -> bool:
    """Tell whether an operation of this uuid has been accepted."""
    with engine.reader() as session:
        return session.scalar(sa.select(Operation.id).where(Operation.uuid == uuid)) is not None


@engine.retried
def get(operation_id: int) -> Entry | None:
    """Return one entry by id, or None."""
    with engine.reader() as session:
        row = session.get(Operation, operation_id)
        return Entry.of(row) if row else None


def cut(reason: str | None) -> str | None:
    """Cut a reason to what the journal keeps, in characters every back end can store."""
    if reason is None:
        return None
    plain = "".join(char if "\x00" < char <= "\uffff" else "?" for char in reason)
    if len(plain) <= REASON_LENGTH:
        return plain
    return f"{plain[:REASON_LENGTH]}... ({len(plain) - REASON_LENGTH} more characters)"


def _update(operation_id: int, values: dict[str, Any], *conditions: Any) -> bool:
    with engine.writer() as session:
        changed = engine.affected(
            session,
            sa.update(Operation).where(Operation.id == operation_id, *conditions).values(**values),
        )
        return bool(changed)
