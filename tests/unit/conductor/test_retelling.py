"""Events that are not out are told again: each once."""

from __future__ import annotations

from typing import Any

import pytest
import sqlalchemy as sa

from magnumlite.conductor import recovery, retelling, settle
from magnumlite.db import engine, own_models
from magnumlite.notifications import notifier
from tests.unit.conductor.conftest import House


def _untold() -> int:
    with engine.reader() as session:
        return session.query(own_models.Operation).filter_by(notified_at=None).count()


def _age() -> None:
    """Make what has ended old enough to be told again."""
    with engine.writer() as session:
        session.execute(
            sa.update(own_models.Operation)
            .where(own_models.Operation.finished_at.is_not(None))
            .values(finished_at=engine.seconds_ago(3600))
        )


@pytest.fixture
def silence(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Call it and the broker of notifications is away; call what it returns and it is back."""

    def begin() -> Any:
        patch = pytest.MonkeyPatch()
        patch.setattr(notifier, "send", lambda *args, **kwargs: False)
        return patch.undo

    return begin


@pytest.mark.parametrize("to", ["COMPLETE", "FAILED"])
def test_an_end_that_could_not_be_told(house: House, admin: Any, silence: Any, to: str) -> None:
    cluster = house.new_cluster()
    house.api.cluster_create(cluster, 1, 3, 60)
    house.events.clear()
    back = silence()
    house.finish(cluster.uuid, to)
    assert (house.told(), _untold()) == ([], 1)
    _age()
    assert retelling.sweep(admin) == 0
    back()
    assert retelling.sweep(admin) == 1
    outcome = "success" if to == "COMPLETE" else "failure"
    assert (house.told(), _untold()) == ([("cluster.create", outcome)], 0)
    assert retelling.sweep(admin) == 0


def test_a_failure_that_could_not_be_told(house: House, admin: Any, silence: Any) -> None:
    def boom(*args: Any) -> None:
        raise RuntimeError("boom")

    cluster = house.create()
    house.driver.on["resize_cluster"] = boom
    back = silence()
    with pytest.raises(RuntimeError, match="boom"):
        house.api.cluster_resize(cluster, 5, [], cluster.default_ng_worker)
    assert _untold() == 1
    back()
    _age()
    retelling.sweep(admin)
    assert (house.told(), _untold()) == ([("cluster.update", "failure")], 0)


def test_a_deletion_that_could_not_be_told(house: House, admin: Any, silence: Any) -> None:
    # The cluster is gone by then: the journal knows whose it was.
    cluster = house.create()
    house.api.cluster_delete(cluster.uuid)
    house.events.clear()
    back = silence()
    house.finish(cluster.uuid)
    assert house.gone(cluster.uuid)
    assert _untold() == 1
    back()
    _age()
    retelling.sweep(admin)
    assert (house.told(), _untold()) == ([("cluster.delete", "success")], 0)
    _, message, _, _ = house.events[-1]
    assert message["payload"]["target"]["id"] == cluster.uuid


def test_a_process_that_dies_between_the_rows_and_the_event(
    house: House, admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # B68: the end of the rows is the end of the operation, in one transaction.
    cluster = house.create()
    house.api.cluster_delete(cluster.uuid)
    house.events.clear()
    monkeypatch.setattr(settle.events, "cluster", lambda *args, **kwargs: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        house.finish(cluster.uuid)
    monkeypatch.undo()
    (row,) = [row for row in _rows() if row.action == "delete"]
    assert (row.outcome, row.notified_at) == ("succeeded", None)
    assert house.gone(cluster.uuid)


def test_operations_whose_cluster_somebody_else_removed(house: House, admin: Any) -> None:
    cluster = house.create()
    house.api.cluster_delete(cluster.uuid)
    row = house.get(cluster.uuid)
    for group in row.nodegroups:
        group.destroy()
    row.destroy()
    recovery.sweep()
    assert [row.outcome for row in _rows()] == ["succeeded", "succeeded"]


def test_a_create_that_ends_with_a_later_change_has_an_end_of_its_own(house: House) -> None:
    cluster = house.new_cluster()
    house.api.cluster_create(cluster, 1, 3, 60)
    row = house.get(cluster.uuid)
    row.status = "UPDATE_IN_PROGRESS"
    row.save()
    house.events.clear()
    house.finish(cluster.uuid)
    assert sorted(house.told()) == [("cluster.create", "success"), ("cluster.update", "success")]


def _rows() -> list[own_models.Operation]:
    with engine.reader() as session:
        rows = session.query(own_models.Operation).order_by(own_models.Operation.id).all()
        session.expunge_all()
        return rows
