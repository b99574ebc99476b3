"""What becomes of operations whose process is dead, or whose time is up."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa

from magnumlite import objects
from magnumlite.conductor import recovery
from magnumlite.db import engine
from magnumlite.db.own_models import Operation
from magnumlite.journal import claims, entries
from magnumlite.journal.entries import Action, Entry, Process
from tests.unit.conductor.conftest import House

DEAD = Process("there", "there.0:1:dead")


@pytest.fixture(autouse=True)
def short(conf: Any) -> Iterator[None]:
    """Nobody is given time to come back."""
    conf.set_override("heartbeat_interval", 1, "journal")
    recovery._silence.forget()
    yield
    recovery._silence.forget()


def left(house: House, cluster: Any, action: Action, **state: Any) -> Entry:
    """An operation that another process has accepted and left in a state; it is long silent."""
    entry = entries.accept(house.context, DEAD, action, cluster.uuid)
    if state.pop("started", False):
        assert claims.claim(DEAD, entry.id, cluster.uuid)
    if state.pop("entered", False):
        assert entries.enter(entry.id)
    with engine.writer() as session:
        session.execute(
            sa.update(Operation)
            .where(Operation.id == entry.id)
            .values(**{"heartbeat_at": engine.seconds_ago(3600), **state})
        )
    return entry


def swept(house: House, entry: Entry) -> Entry:
    """The operation after recovery has looked at it for long enough."""

    def ended() -> Entry | None:
        recovery.sweep()
        found = entries.get(entry.id)
        return found if found and (found.finished_at or found.released_at) else None

    found: Entry = house.until(ended)
    return found


def inserted(house: House) -> Any:
    """A cluster as its create was accepted."""
    from magnumlite.conductor.changes.create import Create

    cluster = house.new_cluster()
    with engine.writer():
        Create(cluster, 1, 1, 60).insert(house.context)
    return house.get(cluster.uuid)


def test_a_create_that_waited(house: House) -> None:
    cluster = inserted(house)
    entry = swept(house, left(house, cluster, Action.CREATE))
    row = house.get(cluster.uuid)
    assert (entry.outcome, row.status) == ("lost", "CREATE_FAILED")
    assert "ended before" in row.status_reason
    assert {group.status for group in row.nodegroups} == {"CREATE_FAILED"}
    assert house.told() == [("cluster.create", "failure")]


def test_a_create_in_the_driver_with_a_stack_is_followed(house: House) -> None:
    cluster = inserted(house)
    cluster.stack_id = "stack"
    cluster.save()
    entry = swept(house, left(house, cluster, Action.CREATE, started=True, entered=True))
    assert entry.outcome is None
    assert house.get(cluster.uuid).status == "CREATE_IN_PROGRESS"
    house.finish(cluster.uuid)
    assert house.told() == [("cluster.create", "success")]


def test_a_create_in_the_driver_without_a_stack_fails_and_is_watched(house: House) -> None:
    # B10: it ends with a reason; a late success is still one.
    cluster = inserted(house)
    entry = swept(house, left(house, cluster, Action.CREATE, started=True, entered=True))
    row = house.get(cluster.uuid)
    assert (entry.outcome, row.status) == ("expired", "CREATE_FAILED")
    assert "while the driver created" in row.status_reason
    house.finish(cluster.uuid)
    assert house.get(cluster.uuid).status == "CREATE_COMPLETE"
    assert house.told() == [("cluster.create", "failure"), ("cluster.create", "success")]


def test_a_watched_create_is_given_up_in_the_end(house: House, conf: Any) -> None:
    conf.set_override("late_watch", 0, "deadline")
    cluster = inserted(house)
    entry = swept(house, left(house, cluster, Action.CREATE, started=True, entered=True))
    house.until(lambda: (recovery.sweep(), entries.get(entry.id).outcome == "failed")[1])
    assert {group.status for group in house.get(cluster.uuid).nodegroups} == {"CREATE_FAILED"}


@pytest.mark.parametrize(
    ("action", "status"),
    [
        (Action.UPDATE, "UPDATE_FAILED"),
        (Action.UPGRADE, "UPDATE_FAILED"),
        (Action.ROTATE_CA, "UPDATE_FAILED"),
        (Action.DELETE, "DELETE_FAILED"),
        (Action.ROTATE_CREDENTIAL, "CREATE_COMPLETE"),
    ],
)
def test_what_had_begun_fails(house: House, action: Action, status: str) -> None:
    cluster = house.create()
    entry = swept(house, left(house, cluster, action, started=True, entered=True))
    assert (entry.outcome, house.get(cluster.uuid).status) == ("lost", status)
    assert len([outcome for _, outcome in house.told() if outcome == "failure"]) == 1


def test_what_waited_leaves_the_cluster_alone(house: House) -> None:
    cluster = house.create()
    entry = swept(house, left(house, cluster, Action.RESIZE))
    assert entry.outcome == "lost"
    assert house.get(cluster.uuid).status == "CREATE_COMPLETE"
    assert house.told() == [("cluster.update", "failure")]


def test_what_was_given_back_has_time_to_return(house: House) -> None:
    cluster = house.create()
    entry = left(house, cluster, Action.RESIZE, process=None, heartbeat_at=engine.now())
    recovery.sweep()
    assert entries.get(entry.id).finished_at is None  # type: ignore[union-attr]


def test_many_hosts_end_one_operation_once(house: House) -> None:
    cluster = house.create()
    left(house, cluster, Action.UPDATE, started=True, entered=True)
    sweepers = [threading.Thread(target=recovery.sweep) for _ in range(4)]
    house.until(lambda: (recovery.sweep(), house.told())[1])
    for sweeper in sweepers:
        sweeper.start()
    for sweeper in sweepers:
        sweeper.join()
    assert house.told() == [("cluster.update", "failure")]


def test_a_create_past_its_deadline_fails_and_may_still_complete(house: House) -> None:  # B06
    cluster = inserted(house)
    entry = left(
        house,
        cluster,
        Action.CREATE,
        started=True,
        entered=True,
        released_at=engine.now(),
        running_key=None,
        deadline_at=engine.seconds_ago(1),
    )
    recovery.sweep()
    row = house.get(cluster.uuid)
    assert row.status == "CREATE_FAILED"
    assert "not finished in" in row.status_reason
    assert entries.get(entry.id).outcome == "expired"  # type: ignore[union-attr]

    def refreshing(context: Any, polled: Any) -> None:
        # As real drivers do: they complete a cluster only from CREATE_IN_PROGRESS.
        polled.refresh()
        assert polled.status == "CREATE_IN_PROGRESS"
        for nodegroup in polled.nodegroups:
            nodegroup.status = "CREATE_COMPLETE"
            nodegroup.save()
        polled.status = "CREATE_COMPLETE"
        polled.save()

    house.driver.on["update_cluster_status"] = refreshing
    house.poll(cluster.uuid)
    assert house.get(cluster.uuid).status == "CREATE_COMPLETE"
    assert house.told() == [("cluster.create", "failure"), ("cluster.create", "success")]
    assert isinstance(row, objects.Cluster)
