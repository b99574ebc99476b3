import threading
import uuid

import pytest
import sqlalchemy as sa

from magnumlite import exception, objects
from magnumlite.db import engine, own_models, texts
from magnumlite.objects.fields import ClusterStatus
from tests.conftest import PROJECT, USER

ROCKET = "\U0001f680"


def _cluster(context, **values):
    made = objects.Cluster(
        context, uuid=str(uuid.uuid4()), name="c", project_id=PROJECT, user_id=USER, **values
    )
    made.create()
    return made


def _nodegroup(context, cluster, **values):
    made = objects.NodeGroup(
        context,
        uuid=str(uuid.uuid4()),
        name="w",
        cluster_id=cluster.uuid,
        project_id=PROJECT,
        role="worker",
        **values,
    )
    made.create()
    return made


def _strict():
    with engine.reader() as session:
        mode = session.execute(sa.text("SELECT @@sql_mode")).scalar_one()
        assert "STRICT_ALL_TABLES" in mode


def test_any_reason_is_saved_in_strict_mode(mariadb, context):  # B37
    _strict()
    cluster = _cluster(context)
    nodegroup = _nodegroup(context, cluster)
    for row in (cluster, nodegroup):
        row.status = ClusterStatus.CREATE_FAILED
        row.status_reason = "\x00 é 試 \udc80 " + ROCKET * 100_000
        row.save()
    read = objects.Cluster.get_by_uuid(context, cluster.uuid)
    assert read.status == "CREATE_FAILED"
    assert read.status_reason.startswith("\ufffd é 試 \ufffd \ufffd")  # utf8mb3
    assert read.status_reason.endswith(" characters cut]")
    (read,) = read.nodegroups
    assert read.status == "CREATE_FAILED"
    assert read.status_reason.startswith("? é ? ? ?")  # latin1
    assert read.status_reason.endswith(" characters cut]")


def test_any_reason_of_an_operation_is_saved(mariadb, context):  # B37
    with engine.writer() as session:
        row = own_models.Operation(
            uuid="o",
            cluster_uuid="c",
            action="create",
            accepted_at=engine.now(),
            heartbeat_at=engine.now(),
            reason=f"é 試 \udc80 {ROCKET}",
        )
        session.add(row)
    with engine.reader() as session:
        assert session.scalars(sa.select(own_models.Operation.reason)).one() == "é ? ? ?"


def test_any_health_map_is_saved_in_strict_mode(mariadb, context):  # B37
    _strict()
    cluster = _cluster(context)
    cluster.health_status = "UNHEALTHY"
    cluster.health_status_reason = {
        **{f"node-{number:05}.example.org.Ready": "True" for number in range(3000)},
        "node-of-trouble.Ready": "False",
        "api": f"not ok {ROCKET}",
    }
    cluster.save()
    read = objects.Cluster.get_by_uuid(context, cluster.uuid).health_status_reason
    assert read["node-of-trouble.Ready"] == "False"
    assert read["api"] == f"not ok {ROCKET}"
    assert read[texts.CUT_KEY].endswith("of 3002 entries cut")


@pytest.mark.parametrize("charset", ["utf8mb3", "utf8mb4"])
def test_a_wider_character_set_is_used(empty_mariadb, context, charset):
    from magnumlite.db import schema

    database = sa.make_url(empty_mariadb).database
    with engine.engine().begin() as connection:
        connection.exec_driver_sql(f"ALTER DATABASE {database} CHARACTER SET {charset}")
    engine.dispose()
    schema.upgrade()
    nodegroup = _nodegroup(context, _cluster(context), status_reason=f"é 試 {ROCKET}")
    nodegroup.refresh()
    assert nodegroup.status_reason == "é 試 \ufffd"


def test_reasons_on_every_database(served, context):
    cluster = _cluster(context, status_reason="\x00 é 試", labels={"k": f"{ROCKET}\x00"})
    read = objects.Cluster.get_by_uuid(context, cluster.uuid)
    assert read.status_reason.endswith("é 試")
    assert "\x00" not in read.status_reason
    assert read.labels == {"k": f"{ROCKET}\x00"}


def test_a_row_on_every_database(served, context):
    cluster = _cluster(context, labels={"a": "b"}, status="CREATE_IN_PROGRESS")
    nodegroup = _nodegroup(context, cluster, node_count=3, node_addresses=["10.0.0.1"])
    read = objects.Cluster.get_by_uuid(context, cluster.uuid)
    assert read.labels == {"a": "b"}
    assert read.health_status_reason == {}
    assert read.floating_ip_enabled is True
    assert read.node_count == 3
    assert read.node_addresses == ["10.0.0.1"]
    named = objects.Cluster.list(context, filters={"node_count": 3, "status": [read.status]})
    assert [found.uuid for found in named] == [cluster.uuid]
    read.status = "CREATE_COMPLETE"
    read.save()
    read.save()
    with pytest.raises(exception.ClusterAlreadyExists):
        objects.Cluster(context, uuid=cluster.uuid, project_id=PROJECT).create()
    with pytest.raises(exception.NodeGroupAlreadyExists):
        _nodegroup(context, cluster)
    assert objects.Stats.get_cluster_stats(context).as_dict() == {"clusters": 1, "nodes": 3}
    nodegroup.destroy()
    read.destroy()
    with pytest.raises(exception.ClusterNotFound):
        read.save()


def test_saving_what_the_row_has_finds_the_row(served, context):
    """MySQL's count of changed rows would be 0."""
    cluster = _cluster(context)
    for _ in range(2):
        cluster.name = "same"
        cluster.save()


def test_a_service_is_recorded_once_and_reports(served, admin):
    first, second = (
        objects.MagnumService(admin, host="h", binary="magnum-conductor") for _ in range(2)
    )
    first.create()
    second.create()
    assert first.id == second.id
    second.report_state_up()
    found = objects.MagnumService.get_by_host_and_binary(admin, "h", "magnum-conductor")
    assert found.last_seen_up is not None
    assert found.report_count == 1


def test_deadlocks_are_tried_again(served, context):
    """Two transactions take the same two rows in opposite order."""
    one, two = _cluster(context), _cluster(context)
    meet = threading.Barrier(2)
    errors = []

    def swap(mine, other):
        first_try = True

        @engine.retried
        def work():
            nonlocal first_try
            with engine.writer():
                mine.name = f"by {mine.id}"
                mine.save()
                if first_try:
                    first_try = False
                    meet.wait()
                fresh = objects.Cluster.get_by_uuid(context, other.uuid)
                fresh.name = f"by {mine.id}"
                fresh.save()

        try:
            work()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=swap, args=pair) for pair in ((one, two), (two, one))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_more_threads_than_connections(served, conf, context):  # B30
    conf.set_override("max_pool_size", 5, "database")
    conf.set_override("max_overflow", 5, "database")
    engine.dispose()
    cluster = _cluster(context)
    errors = []

    def read():
        try:
            for _ in range(5):
                objects.Cluster.get_by_uuid(context, cluster.uuid)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=read) for _ in range(64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_a_used_up_pool_fails_in_words(served, conf):  # B30
    conf.set_override("max_pool_size", 1, "database")
    conf.set_override("max_overflow", 0, "database")
    conf.set_override("pool_timeout", 1, "database")
    engine.dispose()

    def ask():
        with engine.writer() as session:
            session.execute(sa.text("SELECT 1"))

    with (
        engine.engine().connect(),
        pytest.raises(exception.MagnumException, match="max_pool_size"),
    ):
        ask()
