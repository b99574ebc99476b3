"""Operations from the RPC to the row, on a fake broker and a real database."""

from __future__ import annotations

import threading
from typing import Any

import pytest
from oslo_db import exception as db_exc

from magnumlite import exception, objects
from magnumlite.certs.authority import References
from magnumlite.db import engine, fence, models, own_models
from tests.unit.conductor.conftest import House


def _count(model: type[Any]) -> int:
    with engine.reader() as session:
        return session.query(model).count()


def _outcomes() -> list[tuple[str, str | None]]:
    with engine.reader() as session:
        rows = session.query(own_models.Operation).order_by(own_models.Operation.id)
        return [(row.action, row.outcome) for row in rows]


def test_a_cluster_from_rpc_to_gone(house: House) -> None:
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: house.driver.names() == ["create_cluster"])
    house.until(lambda: house.told() == [("cluster.create", "pending")])
    house.until(lambda: not _claimed())
    row = house.get(cluster.uuid)
    assert row.status == "CREATE_IN_PROGRESS"
    assert all(References.of(row))
    groups = {group.name: group for group in row.nodegroups}
    assert {name: group.node_count for name, group in groups.items()} == {
        "default-master": 1,
        "default-worker": 3,
    }
    house.finish(cluster.uuid)
    assert house.get(cluster.uuid).status == "CREATE_COMPLETE"
    house.api.cluster_delete_async(cluster.uuid)
    house.until(lambda: house.get(cluster.uuid).status == "DELETE_IN_PROGRESS")
    house.until(lambda: not _claimed())
    house.finish(cluster.uuid)
    assert house.gone(cluster.uuid)
    assert _count(models.X509KeyPair) == 0  # B20
    assert _count(models.NodeGroup) == 0
    assert house.told() == [
        ("cluster.create", "pending"),
        ("cluster.create", "success"),
        ("cluster.delete", "pending"),
        ("cluster.delete", "success"),
    ]
    assert _outcomes() == [("create", "succeeded"), ("delete", "succeeded")]


def _claimed() -> bool:
    with engine.reader() as session:
        return (
            session.query(own_models.Operation)
            .filter(own_models.Operation.released_at.is_(None))
            .filter(own_models.Operation.finished_at.is_(None))
            .count()
            > 0
        )


def test_a_second_create_of_the_same_uuid_changes_nothing(house: House) -> None:
    cluster = house.create()
    again = house.new_cluster()
    again.uuid = cluster.uuid
    with pytest.raises(exception.ClusterAlreadyExists):
        house.api.cluster_create(again, 1, 1, 60)
    assert house.get(cluster.uuid).status == "CREATE_COMPLETE"
    assert house.driver.names() == []


def test_a_create_that_the_driver_refuses(house: House) -> None:
    def boom(*args: Any) -> None:
        raise RuntimeError("boom")

    house.driver.on["create_cluster"] = boom
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: house.get_status(cluster.uuid) == "CREATE_FAILED")
    house.until(lambda: ("cluster.create", "failure") in house.told())
    row = house.get(cluster.uuid)
    assert row.status_reason == "boom"
    assert {(group.status, group.status_reason) for group in row.nodegroups} == {
        ("CREATE_FAILED", "boom")
    }


def test_resize_down_to_the_driver_and_back(house: House) -> None:
    cluster = house.create()
    house.api.cluster_resize(cluster, 5, ["n1"], cluster.default_ng_worker)
    row = house.get(cluster.uuid)
    assert row.status == "UPDATE_IN_PROGRESS"
    worker = row.default_ng_worker
    assert (worker.node_count, worker.status) == (5, "UPDATE_IN_PROGRESS")
    call = next(call for call in house.driver.calls if call[0] == "resize_cluster")
    assert call[1][3:5] == (5, ["n1"])
    house.finish(cluster.uuid)
    assert house.told() == [("cluster.update", "pending"), ("cluster.update", "success")]


def test_a_resize_that_fails_restores_the_size(house: House) -> None:
    def boom(*args: Any) -> None:
        raise RuntimeError("boom")

    cluster = house.create()
    house.driver.on["resize_cluster"] = boom
    with pytest.raises(RuntimeError, match="boom"):
        house.api.cluster_resize(cluster, 5, [], cluster.default_ng_worker)
    row = house.get(cluster.uuid)
    worker = row.default_ng_worker
    assert (row.status, row.status_reason) == ("UPDATE_FAILED", "boom")
    assert (worker.node_count, worker.status) == (3, "UPDATE_FAILED")
    assert worker.status_reason == "boom"
    assert house.told() == [("cluster.update", "pending"), ("cluster.update", "failure")]
    del house.driver.on["resize_cluster"]
    house.api.cluster_resize(row, 5, [], worker)
    house.finish(cluster.uuid)
    worker = house.workers(cluster.uuid)
    assert (worker.node_count, worker.status, worker.status_reason) == (5, "UPDATE_COMPLETE", None)


def test_parallel_nodegroup_creates_all_succeed_in_order(house: House) -> None:  # B23
    cluster = house.create()
    for number in range(6):
        house.api.nodegroup_create_async(cluster, _nodegroup(house, cluster, f"ng{number}"))
    house.until(lambda: house.driver.names().count("create_nodegroup") == 6)
    house.until(lambda: not _claimed())
    assert house.driver.entered_twice == []
    called = [call[1][2].uuid for call in house.driver.calls if call[0] == "create_nodegroup"]
    with engine.reader() as session:
        rows = session.query(own_models.Operation).order_by(own_models.Operation.id)
        accepted = [row.nodegroup_uuid for row in rows if row.action == "nodegroup_create"]
    assert called == accepted
    house.finish(cluster.uuid)
    assert house.get(cluster.uuid).status == "UPDATE_COMPLETE"
    assert house.told().count(("cluster.update", "success")) == 1
    assert house.told().count(("nodegroup.create", "success")) == 6


def _nodegroup(house: House, cluster: Any, name: str, **fields: Any) -> Any:
    import uuid

    return objects.NodeGroup(
        house.context,
        uuid=str(uuid.uuid4()),
        name=name,
        cluster_id=cluster.uuid,
        project_id=cluster.project_id,
        node_count=1,
        role="worker",
        labels={},
        flavor_id="f",
        image_id="i",
        **fields,
    )


def test_rotation_the_driver_cannot_do_changes_nothing(house: House) -> None:  # B01
    def cannot(*args: Any) -> None:
        raise exception.NotSupported("no rotation")

    cluster = house.create()
    before = References.of(cluster)
    house.driver.on["rotate_ca_certificate"] = cannot
    with pytest.raises(exception.NotSupported):
        house.api.rotate_ca_certificate(cluster)
    row = house.get(cluster.uuid)
    assert row.status == "CREATE_COMPLETE"
    assert References.of(row) == before
    assert _count(models.X509KeyPair) == 4


def test_rotation_removes_the_old_set(house: House) -> None:  # B20
    cluster = house.create()
    before = References.of(cluster)
    house.api.rotate_ca_certificate(cluster)
    row = house.get(cluster.uuid)
    assert row.status == "UPDATE_IN_PROGRESS"
    assert not set(References.of(row)) & set(before)
    assert _count(models.X509KeyPair) == 4


def test_upgrade_records_the_template(house: House) -> None:  # B33
    cluster = house.create()
    newer = house.make_template()
    result = house.api.cluster_upgrade(cluster, newer, 1, cluster.default_ng_worker)
    assert result.status == "UPDATE_IN_PROGRESS"
    assert house.get(cluster.uuid).cluster_template_id == newer.uuid


def test_delete_of_what_is_gone_ends_at_once(house: House) -> None:  # B15
    class HTTPNotFound(Exception):
        pass

    def gone(*args: Any) -> None:
        raise HTTPNotFound("no such stack")

    cluster = house.create()
    house.driver.on["delete_cluster"] = gone
    house.api.cluster_delete_async(cluster.uuid)
    house.until(lambda: house.gone(cluster.uuid))
    house.until(lambda: ("cluster.delete", "success") in house.told())
    assert house.told().count(("cluster.delete", "success")) == 1
    assert _count(models.X509KeyPair) == 0


def test_an_update_has_its_workers_in_progress(house: House) -> None:  # B34
    cluster = house.create()
    found = house.workers(cluster.uuid).status
    seen: list[str] = []

    def refuse(context: Any, cluster: Any, *rest: Any) -> None:
        seen.append(cluster.default_ng_worker.status)
        raise RuntimeError("boom")

    house.driver.on["update_cluster"] = refuse
    with pytest.raises(RuntimeError, match="boom"):
        house.api.cluster_update(cluster, 5, None, None)
    workers = house.workers(cluster.uuid)
    assert (seen, workers.status, workers.node_count) == (["UPDATE_IN_PROGRESS"], found, 3)
    row = house.get(cluster.uuid)
    row.status = "CREATE_COMPLETE"
    row.save()
    del house.driver.on["update_cluster"]
    house.api.cluster_update(row, 5, None, None)
    assert house.workers(cluster.uuid).status == "UPDATE_IN_PROGRESS"
    house.finish(cluster.uuid)
    workers = house.workers(cluster.uuid)
    assert (workers.status, workers.node_count) == ("UPDATE_COMPLETE", 5)


def test_an_upgrade_that_fails_after_the_driver_recorded_it_is_taken_back(house: House) -> None:
    """As capi-helm records it: before helm, which may refuse."""  # B33
    cluster = house.create()
    template = house.make_template()

    def fail(context: Any, cluster: Any, template: Any, *rest: Any, **more: Any) -> None:
        for nodegroup in cluster.nodegroups:
            nodegroup.status = "UPDATE_IN_PROGRESS"
            nodegroup.save()
        cluster.cluster_template_id = template.uuid
        cluster.status = "UPDATE_IN_PROGRESS"
        cluster.save()
        cluster.refresh()
        raise RuntimeError("no such chart")

    house.driver.on["upgrade_cluster"] = fail
    with pytest.raises(RuntimeError, match="no such chart"):
        house.api.cluster_upgrade(cluster, template, 1, None)
    row = house.get(cluster.uuid)
    assert (row.status, row.status_reason) == ("UPDATE_FAILED", "no such chart")
    assert row.cluster_template_id == cluster.cluster_template_id
    assert {(group.status, group.status_reason) for group in row.nodegroups} == {
        ("UPDATE_FAILED", "no such chart")
    }


def test_health_is_saved_in_any_state_and_tells_nothing(house: House) -> None:  # B25
    cluster = house.create()
    row = house.get(cluster.uuid)
    row.status = "UPDATE_FAILED"
    row.save()
    house.api.cluster_update(row, 3, "HEALTHY", {"api": "ok"})
    row = house.get(cluster.uuid)
    assert (row.health_status, row.health_status_reason) == ("HEALTHY", {"api": "ok"})
    assert house.told() == []


def test_a_poll_that_began_before_a_delete_writes_nothing(house: House) -> None:  # B02
    cluster = house.create()
    house.api.cluster_resize(cluster, 5, [], cluster.default_ng_worker)

    def slow(context: Any, polled: Any) -> None:
        house.api.cluster_delete(cluster.uuid)
        polled.status = "UPDATE_COMPLETE"
        polled.save()

    house.driver.on["update_cluster_status"] = slow
    house.poll(cluster.uuid)
    assert house.get(cluster.uuid).status == "DELETE_IN_PROGRESS"


@pytest.mark.parametrize("ends", ["well", "with an error"])
def test_a_delete_by_magnums_conductor_is_not_overwritten(house: House, ends: str) -> None:
    # In a mixed fleet the other one asks for no claim.
    cluster = house.create()

    def meanwhile(context: Any, resized: Any, *args: Any, **kwargs: Any) -> None:
        with fence.lifted():
            row = house.get(cluster.uuid)
            row.status = "DELETE_IN_PROGRESS"
            row.save()
        if ends == "with an error":
            raise RuntimeError("the stack is gone")

    house.driver.on["resize_cluster"] = meanwhile
    told = "has taken over" if ends == "well" else "the stack is gone"
    with pytest.raises(Exception, match=told):
        house.api.cluster_resize(cluster, 5, [], house.workers(cluster.uuid))
    house.until(lambda: not _claimed())
    assert house.get(cluster.uuid).status == "DELETE_IN_PROGRESS"
    house.finish(cluster.uuid)
    assert house.gone(cluster.uuid)


def test_a_delete_takes_over_from_a_driver_that_hangs(house: House, conf: Any) -> None:
    conf.set_override("delete_wait", 0, "conductor")
    release = threading.Event()
    entered = threading.Event()

    def hang(context: Any, cluster: Any, *args: Any) -> None:
        entered.set()
        release.wait(60)
        cluster.status = "UPDATE_COMPLETE"
        cluster.save()

    cluster = house.create()
    house.driver.on["resize_cluster"] = hang
    house.api.cluster_resize_async(cluster, 5, [], cluster.default_ng_worker)
    entered.wait(60)
    house.api.cluster_delete_async(cluster.uuid)
    house.until(lambda: house.get_status(cluster.uuid) == "DELETE_IN_PROGRESS")
    release.set()
    assert ("resize", "superseded") in _outcomes()
    house.finish(cluster.uuid)
    assert house.gone(cluster.uuid)


def test_a_delete_that_failed_can_be_asked_again(house: House) -> None:
    def boom(*args: Any) -> None:
        raise RuntimeError("boom")

    cluster = house.create()
    house.driver.on["delete_cluster"] = boom
    with pytest.raises(RuntimeError, match="boom"):
        house.api.cluster_delete(cluster.uuid)
    assert house.get(cluster.uuid).status == "DELETE_FAILED"
    del house.driver.on["delete_cluster"]
    house.api.cluster_delete(cluster.uuid)
    row = house.get(cluster.uuid)
    assert (row.status, row.status_reason) == ("DELETE_IN_PROGRESS", None)


@pytest.mark.parametrize(
    ("labels", "why"),
    [
        ({"min_node_count": "-1"}, "min_node_count"),  # B58
        ({"max_node_count": "many"}, "max_node_count"),
        ({"min_node_count": "4", "max_node_count": "2"}, "below"),
    ],
)
def test_size_labels_that_make_no_sense_fail_the_cluster(
    house: House, labels: dict[str, str], why: str
) -> None:
    cluster = house.new_cluster(labels=labels)
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: house.get_status(cluster.uuid) == "CREATE_FAILED")
    assert why in house.get(cluster.uuid).status_reason
    assert house.driver.names() == []


def test_size_labels_limit_the_workers_and_zero_is_a_value(house: House) -> None:  # B55, B58
    cluster = house.create(
        labels={"min_node_count": "1", "max_node_count": "4"}, docker_volume_size=0
    )
    worker = cluster.default_ng_worker
    assert (worker.min_node_count, worker.max_node_count) == (1, 4)
    assert worker.docker_volume_size == 0
    worker.labels["own"] = "x"
    assert "own" not in cluster.labels


def test_a_call_that_takes_too_long_is_answered_in_time(house: House, conf: Any) -> None:  # B32
    hold, entered = threading.Event(), threading.Event()

    def slow(*args: Any, **kwargs: Any) -> None:
        entered.set()
        hold.wait(60)
        raise exception.NotSupported("not this version")

    cluster = house.create()
    conf.set_override("rpc_response_timeout", 11)
    house.driver.on["upgrade_cluster"] = slow
    newer = house.make_template()
    answer = house.api.cluster_upgrade(cluster, newer, 1, cluster.default_ng_worker)
    assert answer.status == "UPDATE_IN_PROGRESS"
    assert house.get(cluster.uuid).status == "UPDATE_IN_PROGRESS"
    with pytest.raises(exception.OperationInProgress):
        house.api.cluster_upgrade(cluster, newer, 1, cluster.default_ng_worker)
    hold.set()
    house.until(lambda: house.get(cluster.uuid).status == "UPDATE_FAILED")
    assert "not this version" in house.get(cluster.uuid).status_reason
    assert house.driver.names().count("upgrade_cluster") == 1


def test_a_cast_that_the_database_refuses_leaves_a_row_with_the_reason(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    def too_long(*args: Any) -> None:
        raise db_exc.DBDataError(RuntimeError("too long\n[parameters: a secret]"))

    monkeypatch.setattr(objects.Cluster, "create", too_long)
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: _outcomes() == [("create", "refused")])
    with engine.reader() as session:
        (row,) = session.query(own_models.Operation)
        assert row.reason == "too long"
    assert house.gone(cluster.uuid)
