"""Both rows of a nodegroup's change, when the database breaks the transaction."""

from __future__ import annotations

from typing import Any

import pytest
from oslo_db import exception as db_exc

from magnumlite import objects
from tests.unit.conductor.conftest import House

BROKEN = [db_exc.DBDeadlock, db_exc.DBConnectionError]


def _break_once(monkeypatch: pytest.MonkeyPatch, error: type[Exception]) -> list[str]:
    """Have the first save of a cluster fail, and with it what was written before it."""
    save, broken = objects.Cluster.save, []

    def fail_once(cluster: Any, *args: Any) -> None:
        if not broken:
            broken.append(cluster.status)
            raise error
        save(cluster, *args)

    monkeypatch.setattr(objects.Cluster, "save", fail_once)
    return broken


@pytest.mark.parametrize("error", BROKEN)
def test_a_nodegroup_is_created_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    cluster = house.create()
    nodegroup = objects.NodeGroup(
        house.context,
        uuid="5d7b2f84-3a47-4a0c-9f0a-0d3a3f6a1c11",
        name="ng",
        cluster_id=cluster.uuid,
        project_id=cluster.project_id,
        node_count=1,
        role="worker",
        labels={},
        flavor_id="f",
        image_id="i",
    )
    assert _break_once(monkeypatch, error) == []
    house.api.nodegroup_create(cluster, nodegroup)
    row = house.get(cluster.uuid)
    assert row.status == "UPDATE_IN_PROGRESS"
    assert [group.status for group in row.nodegroups if group.name == "ng"] == [
        "CREATE_IN_PROGRESS"
    ]
    assert house.driver.names() == ["create_nodegroup"]


@pytest.mark.parametrize("error", BROKEN)
def test_a_nodegroup_is_changed_all_the_same(
    house: House, monkeypatch: pytest.MonkeyPatch, error: type[Exception]
) -> None:
    cluster = house.create()
    group = cluster.default_ng_worker
    group.max_node_count = 9
    broken = _break_once(monkeypatch, error)
    house.api.nodegroup_update(cluster, group)
    row = house.get(cluster.uuid)
    assert broken == ["UPDATE_IN_PROGRESS"]
    assert row.status == "UPDATE_IN_PROGRESS"
    worker = row.default_ng_worker
    assert (worker.status, worker.max_node_count) == ("UPDATE_IN_PROGRESS", 9)
