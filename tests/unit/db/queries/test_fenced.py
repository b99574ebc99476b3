"""Saves inside a job: one statement that also tests the job's right to write."""

import pytest
import sqlalchemy as sa

from magnumlite import exception
from magnumlite.db import engine, fence
from magnumlite.db.own_models import Operation
from magnumlite.db.queries import cluster, nodegroup


@pytest.fixture
def operation(make_cluster):
    home = make_cluster()
    with engine.writer() as session:
        row = Operation(
            uuid="o",
            cluster_uuid=home.uuid,
            action="update",
            running_key=home.uuid,
            accepted_at=engine.now(),
            heartbeat_at=engine.now(),
            started_at=engine.now(),
        )
        session.add(row)
        session.flush()
        return home, row.id


def _lose(operation_id):
    with engine.writer() as session:
        session.execute(
            sa.update(Operation).where(Operation.id == operation_id).values(running_key=None)
        )


def test_an_operation_writes_while_it_holds_its_claim(operation, make_nodegroup, context):
    home, identity = operation
    made = make_nodegroup(home)
    with fence.holding(fence.OperationFence(home.uuid, identity)) as held:
        cluster.update(context, home.uuid, {"status": "UPDATE_IN_PROGRESS"})
        nodegroup.update(context, home.uuid, made.uuid, {"node_count": 2})
        assert held.writes == 2
        _lose(identity)
        for write in (
            lambda: cluster.update(context, home.uuid, {"status": "UPDATE_FAILED"}),
            lambda: cluster.destroy(context, home.uuid),
            lambda: nodegroup.update(context, home.uuid, made.uuid, {"node_count": 3}),
            lambda: nodegroup.destroy(context, home.uuid, made.uuid),
        ):
            with pytest.raises(exception.ClaimLost):
                write()
    assert cluster.get_by_uuid(context, home.uuid).status == "UPDATE_IN_PROGRESS"
    assert nodegroup.get_by_uuid(context, home.uuid, made.uuid).node_count == 2


def test_an_operation_writes_over_no_status_that_is_not_its_to_end(
    operation, make_nodegroup, context
):
    # magnum's own conductor deletes without a claim.
    home, identity = operation
    made = make_nodegroup(home)
    with fence.holding(fence.OperationFence(home.uuid, identity, not_over={"DELETE_IN_PROGRESS"})):
        for status in (None, "UPDATE_IN_PROGRESS"):
            cluster.update(context, home.uuid, {"status": status})
        with fence.lifted():
            cluster.update(context, home.uuid, {"status": "DELETE_IN_PROGRESS"})
        for write in (
            lambda: cluster.update(context, home.uuid, {"status": "UPDATE_IN_PROGRESS"}),
            lambda: cluster.destroy(context, home.uuid),
        ):
            with pytest.raises(exception.ClaimLost):
                write()
        nodegroup.update(context, home.uuid, made.uuid, {"stack_id": "made before"})
    assert cluster.get_by_uuid(context, home.uuid).status == "DELETE_IN_PROGRESS"
    assert nodegroup.get_by_uuid(context, home.uuid, made.uuid).stack_id == "made before"


def test_a_poll_writes_only_over_the_status_it_read(make_cluster, context):  # B02
    home = make_cluster(status="UPDATE_IN_PROGRESS")
    poll = fence.PollFence(home.uuid, 0, "UPDATE_IN_PROGRESS")
    cluster.update(context, home.uuid, {"status": "DELETE_IN_PROGRESS"})
    with fence.holding(poll), pytest.raises(exception.ClaimLost):
        cluster.update(context, home.uuid, {"status": "UPDATE_COMPLETE"})
    assert cluster.get_by_uuid(context, home.uuid).status == "DELETE_IN_PROGRESS"


def test_a_missing_row_is_not_found_inside_a_job_too(operation, context):
    home, identity = operation
    with fence.holding(fence.OperationFence("elsewhere", identity)):
        with pytest.raises(exception.ClusterNotFound):
            cluster.update(context, "nowhere", {"name": "x"})
        with pytest.raises(exception.NodeGroupNotFound):
            nodegroup.destroy(context, home.uuid, "nowhere")


def test_a_finisher_that_comes_second_finds_nothing(operation, context):  # B21
    home, identity = operation
    with fence.holding(fence.OperationFence(home.uuid, identity)):
        cluster.destroy(context, home.uuid)
        with pytest.raises(exception.ClusterNotFound):
            cluster.destroy(context, home.uuid)
