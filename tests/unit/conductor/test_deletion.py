"""How the rows of a deleted cluster go."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from magnumlite.conductor import recovery, settle
from magnumlite.db import engine, models
from tests.unit.conductor.conftest import House


def rows_of(uuid: str) -> tuple[int, int]:
    """How many rows there are: of the cluster, and of its nodegroups."""
    with engine.reader() as session:
        return (
            session.query(models.Cluster).filter_by(uuid=uuid).count(),
            session.query(models.NodeGroup).filter_by(cluster_id=uuid).count(),
        )


def test_who_has_read_the_cluster_finds_its_nodegroups(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    # magnum-api reads one, then the others, and answers 400 when it finds none.
    cluster = house.create()
    seen: list[tuple[float, tuple[int, int]]] = []
    clock = SimpleNamespace(sleep=lambda seconds: seen.append((seconds, rows_of(cluster.uuid))))
    monkeypatch.setattr(settle, "time", clock)
    house.api.cluster_delete(cluster.uuid)
    house.finish(cluster.uuid)
    assert seen == [(settle.READING, (0, 2))]
    assert rows_of(cluster.uuid) == (0, 0)
    assert house.told()[-1] == ("cluster.delete", "success")


def test_nodegroups_that_a_dead_process_left_are_removed(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def die(seconds: float) -> Any:
        raise Killed

    cluster, other = house.create(), house.create(name="other")
    house.api.cluster_delete(cluster.uuid)
    with monkeypatch.context() as patch:
        patch.setattr(settle, "time", SimpleNamespace(sleep=die))
        with pytest.raises(Killed):
            house.finish(cluster.uuid)
    assert rows_of(cluster.uuid) == (0, 2)
    recovery.sweep()
    assert rows_of(cluster.uuid) == (0, 0)
    assert rows_of(other.uuid) == (1, 2)
