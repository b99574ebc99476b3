"""Intake: what is accepted once, whatever the broker and the database do."""

from __future__ import annotations

from typing import Any

import pytest
from oslo_db import exception as db_exc

from magnumlite import objects
from magnumlite.conductor.changes.create import Create
from magnumlite.conductor.intake import Intake
from magnumlite.conductor.operation import Operation
from magnumlite.conductor.pool import OperationPool
from magnumlite.db import engine, own_models
from magnumlite.journal.entries import Process
from magnumlite.rpc import reply
from tests.unit.conductor.conftest import House


def _operations() -> list[str]:
    with engine.reader() as session:
        return [row.action for row in session.query(own_models.Operation)]


class _Kept:
    def __init__(self) -> None:
        self.operations: list[Operation] = []

    def add(self, operation: Operation) -> None:
        self.operations.append(operation)


@pytest.fixture
def intakes(house: House) -> list[tuple[Intake, _Kept]]:
    """Those of two workers whose operations never begin."""
    made = []
    for name in ("one", "two"):
        kept = _Kept()
        pool: OperationPool = kept  # type: ignore[assignment]
        made.append((Intake(Process("here", name), pool), kept))
    return made


def _cast(intake: Intake, house: House, cluster: Any, message: str) -> None:
    reply.handling(False, message)
    try:
        intake.submit(house.context, Create(cluster, 1, 1, 60), "cluster_create", cluster=cluster)
    finally:
        reply.handling(True)


def test_a_cast_that_comes_twice_is_one_operation(house: House, intakes: Any) -> None:
    cluster = house.new_cluster()
    for intake, _ in intakes:
        _cast(intake, house, cluster, "the same")
    assert _operations() == ["create"]
    # It waits with the worker that got it last; the other finds out that it is not its own.
    assert [len(kept.operations) for _, kept in intakes] == [1, 1]
    with engine.reader() as session:
        assert session.query(own_models.Operation).one().process == "two"


def test_a_cast_whose_commit_was_not_answered_is_one_operation(
    house: House, intakes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    (intake, kept), _ = intakes
    refresh, lost = objects.NodeGroup.create, []

    def commit_unanswered(nodegroup: Any, *args: Any) -> None:
        refresh(nodegroup, *args)
        if nodegroup.role == "worker" and not lost:
            lost.append(nodegroup)
            raise db_exc.DBConnectionError

    monkeypatch.setattr(objects.NodeGroup, "create", commit_unanswered)
    cluster = house.new_cluster()
    _cast(intake, house, cluster, "a message")
    assert (len(lost), len(kept.operations), _operations()) == (1, 1, ["create"])
    assert len(house.get(cluster.uuid).nodegroups) == 2
