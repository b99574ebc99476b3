import collections
import contextlib
import datetime
import logging

import pytest
import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_utils import uuidutils

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.conductor import settle
from magnumlite.db import engine, models
from magnumlite.db.own_models import Operation
from magnumlite.drivers import registry
from magnumlite.journal import lines
from magnumlite.periodic.queue import RetryLater
from magnumlite.periodic.status import StatusSweep
from tests.unit.periodic.conftest import ScriptedDriver, add_template, make_nodegroup


class Queue:
    def __init__(self):
        self.keys = set()

    def add_all(self, keys):
        self.keys = set(keys)

    def own_work(self):
        return contextlib.nullcontext()


@pytest.fixture
def queue():
    return Queue()


@pytest.fixture
def sweep(queue):
    return StatusSweep(queue, lambda uuid: True)


def now():
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def operation(cluster, action="update", state="released", **more):
    """Write a row of the journal in a state: waiting, running, released, expired."""
    values = {
        "uuid": uuidutils.generate_uuid(),
        "cluster_uuid": cluster,
        "action": action,
        "process": "p",
        "accepted_at": now(),
        "heartbeat_at": now(),
    }
    if state != "waiting":
        values |= {"started_at": now()}
    if state == "running":
        values |= {"running_key": cluster}
    if state in ("released", "expired"):
        values |= {"released_at": now()}
    if state == "expired":
        values |= {"finished_at": now(), "outcome": "expired"}
    with engine.writer() as session:
        row = Operation(**values | more)
        session.add(row)
        session.flush()
        return row.id


def row(uuid):
    with engine.reader() as session:
        return session.execute(
            sa.select(models.Cluster.status, models.Cluster.status_reason).where(
                models.Cluster.uuid == uuid
            )
        ).one_or_none()


def outcome(operation_id):
    with engine.reader() as session:
        return session.scalar(sa.select(Operation.outcome).where(Operation.id == operation_id))


def set_status(status):
    def poll(context, cluster):
        cluster.status = status
        cluster.save()

    return poll


class TestSelection:
    def select(self, sweep, queue, admin):
        sweep.due(admin)
        return queue.keys

    @pytest.mark.parametrize(
        "status",
        [
            "CREATE_IN_PROGRESS",
            "UPDATE_IN_PROGRESS",
            "DELETE_IN_PROGRESS",
            "ROLLBACK_IN_PROGRESS",
            "DELETE_COMPLETE",  # B68
        ],
    )
    def test_clusters_on_their_way(self, sweep, queue, admin, make_cluster, status):
        assert self.select(sweep, queue, admin) == set()
        uuid = make_cluster(status)
        assert self.select(sweep, queue, admin) == {uuid}

    @pytest.mark.parametrize(
        "status", ["CREATE_COMPLETE", "UPDATE_FAILED", "DELETE_FAILED", "RESUME_COMPLETE", None]
    )
    def test_clusters_at_rest_are_left_alone(self, sweep, queue, admin, make_cluster, status):
        make_cluster(status)
        assert self.select(sweep, queue, admin) == set()

    def test_a_nodegroup_in_progress(self, sweep, queue, admin, make_cluster):  # B34
        uuid = make_cluster("UPDATE_COMPLETE", ("CREATE_COMPLETE", "UPDATE_IN_PROGRESS"))
        assert self.select(sweep, queue, admin) == {uuid}

    def test_a_nodegroup_to_be_removed(self, sweep, queue, admin, make_cluster):  # B36
        uuid = make_cluster("UPDATE_COMPLETE")
        with engine.writer() as session:
            session.add(make_nodegroup(uuid, "extra", "worker", "DELETE_COMPLETE"))
        assert self.select(sweep, queue, admin) == {uuid}

    def test_a_default_nodegroup_is_never_removed(self, sweep, queue, admin, make_cluster):
        make_cluster("UPDATE_COMPLETE", ("CREATE_COMPLETE", "DELETE_COMPLETE"))
        assert self.select(sweep, queue, admin) == set()

    def test_an_operation_whose_end_is_awaited(self, sweep, queue, admin, make_cluster):
        uuid = make_cluster("UPDATE_COMPLETE")
        operation(uuid, "rotate_credential", "released")
        assert self.select(sweep, queue, admin) == {uuid}

    def test_a_create_past_its_deadline(self, sweep, queue, admin, make_cluster):  # B06
        uuid = make_cluster("CREATE_FAILED")
        operation(uuid, "create", "expired")
        assert self.select(sweep, queue, admin) == {uuid}

    def test_a_claimed_cluster_is_left_alone(self, sweep, queue, admin, make_cluster):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        operation(uuid, "resize", "released")
        operation(uuid, "resize", "running")
        assert self.select(sweep, queue, admin) == set()

    @pytest.mark.parametrize("state", ["waiting", "running"])
    def test_a_create_that_has_not_returned(  # B56
        self, sweep, queue, admin, make_cluster, state
    ):
        operation(make_cluster("CREATE_IN_PROGRESS"), "create", state)
        assert self.select(sweep, queue, admin) == set()

    def test_what_another_host_owns(self, queue, admin, make_cluster):  # B41
        mine, _ = make_cluster("UPDATE_IN_PROGRESS"), make_cluster("UPDATE_IN_PROGRESS")
        StatusSweep(queue, lambda uuid: uuid == mine).due(admin)
        assert queue.keys == {mine}

    def test_an_operation_whose_cluster_is_gone(self, sweep, queue, admin, template):
        operation(uuidutils.generate_uuid())
        assert self.select(sweep, queue, admin) == set()

    def test_queries_do_not_grow_with_the_clusters(self, sweep, queue, admin, make_cluster):
        statements = []
        made = engine.engine()
        sa.event.listen(made, "before_cursor_execute", lambda *args: statements.append(args[2]))
        counts = []
        for _ in range(2):
            for _ in range(10):
                operation(make_cluster("UPDATE_COMPLETE"), "resize", "released")
                make_cluster("CREATE_IN_PROGRESS")
            statements.clear()
            assert self.select(sweep, queue, admin)
            counts.append(len(statements))
        assert counts[0] == counts[1]

    def test_it_names_the_driver_of_each(self, sweep, queue, admin, make_cluster):
        named = make_cluster("UPDATE_IN_PROGRESS", template=add_template("capi"))
        unnamed = make_cluster("UPDATE_IN_PROGRESS", template=add_template(None))
        orphan = make_cluster("UPDATE_IN_PROGRESS", template="no such template")
        sweep.due(admin)
        assert sweep.driver_of(named) == "capi"
        assert sweep.driver_of(unnamed) == "vm, ubuntu, kubernetes"
        assert sweep.driver_of(orphan) is None
        assert sweep.driver_of("unheard of") is None


class TestPoll:
    def test_a_final_state_ends_the_operation_with_one_event(
        self, sweep, make_cluster, driver, sent
    ):
        uuid = make_cluster("CREATE_IN_PROGRESS")
        ended = operation(uuid, "create")
        sweep.poll(uuid)
        assert (outcome(ended), sent) == (None, [])
        driver.poll = set_status("CREATE_COMPLETE")
        sweep.poll(uuid)
        sweep.poll(uuid)
        assert row(uuid).status == "CREATE_COMPLETE"
        assert (outcome(ended), sent) == ("succeeded", [("create", "success")])

    def test_a_failed_state_too(self, sweep, make_cluster, driver, sent):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        ended = operation(uuid, "resize")
        driver.poll = set_status("UPDATE_FAILED")
        sweep.poll(uuid)
        assert (outcome(ended), sent) == ("failed", [("update", "failure")])

    def test_a_cluster_inherited_from_magnum_ends_with_its_event(
        self, sweep, make_cluster, driver, sent
    ):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        driver.poll = set_status("UPDATE_COMPLETE")
        sweep.poll(uuid)
        assert sent == [("update", "success")]

    def test_a_claimed_cluster_is_not_polled(self, sweep, make_cluster, driver):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        operation(uuid, "resize", "running")
        sweep.poll(uuid)
        assert driver.polled == []

    def test_a_cluster_that_has_moved_to_another_host_is_not_polled(
        self, queue, make_cluster, driver
    ):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        StatusSweep(queue, lambda uuid: False).poll(uuid)
        assert driver.polled == []

    def test_a_delete_that_begins_during_the_poll_is_not_forgotten(  # B02
        self, sweep, make_cluster, driver, sent, caplog
    ):
        caplog.set_level(logging.INFO, "magnumlite")
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        awaited = operation(uuid, "resize")

        def overtaken(context, cluster):
            operation(uuid, "delete", "running")
            with engine.writer() as session:
                session.execute(sa.update(models.Cluster).values(status="DELETE_IN_PROGRESS"))
            set_status("UPDATE_COMPLETE")(context, cluster)

        driver.poll = overtaken
        sweep.poll(uuid)
        assert row(uuid).status == "DELETE_IN_PROGRESS"
        assert (outcome(awaited), sent) == (None, [])
        assert [each for each in caplog.records if each.levelno > logging.INFO] == []

    def test_a_late_create_is_shown_in_progress_and_may_still_complete(
        self, sweep, make_cluster, driver, sent
    ):
        uuid = make_cluster("CREATE_FAILED", ("CREATE_IN_PROGRESS", "CREATE_IN_PROGRESS"))
        late = operation(uuid, "create", "expired")
        shown = []

        def complete(context, cluster):
            shown.append(cluster.status)
            cluster.refresh()
            shown.append(cluster.status)
            for nodegroup in cluster.nodegroups:
                nodegroup.status = "CREATE_COMPLETE"
                nodegroup.save()
            set_status("CREATE_COMPLETE")(context, cluster)

        sweep.poll(uuid)
        assert row(uuid).status == "CREATE_FAILED"
        driver.poll = complete
        sweep.poll(uuid)
        assert shown == ["CREATE_IN_PROGRESS"] * 2
        assert row(uuid).status == "CREATE_COMPLETE"
        assert (outcome(late), sent) == ("succeeded", [("create", "success")])

    def test_what_the_driver_raises_is_the_queues(self, sweep, make_cluster, driver):
        def broken(context, cluster):
            raise RuntimeError("no cloud")

        driver.poll = broken
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        with pytest.raises(RuntimeError, match="no cloud"):
            sweep.poll(uuid)

    def test_the_context_is_the_administrators_and_gone_afterwards(
        self, sweep, make_cluster, driver
    ):
        seen = []

        def look(context, cluster):
            seen.append((context.is_admin, context.all_tenants, request_context.ctx() is context))
            raise RuntimeError

        driver.poll = look
        with pytest.raises(RuntimeError):
            sweep.poll(make_cluster("UPDATE_IN_PROGRESS"))
        assert seen == [(True, True, True)]
        assert not request_context.has_ctx()

    def test_a_cluster_that_is_gone_is_no_error(self, sweep, template, driver):
        sweep.poll(uuidutils.generate_uuid())
        assert driver.polled == []

    @pytest.mark.parametrize(
        "status",
        [
            "RESUME_COMPLETE",
            "RESUME_FAILED",
            "RESTORE_COMPLETE",
            "ROLLBACK_COMPLETE",
            "ROLLBACK_FAILED",
            "SNAPSHOT_COMPLETE",
            "CHECK_COMPLETE",
            "ADOPT_COMPLETE",
            None,
        ],
    )
    def test_no_status_that_a_driver_sets_is_an_error(  # B43
        self, sweep, make_cluster, driver, sent, status
    ):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        driver.poll = set_status(status)
        sweep.poll(uuid)
        assert row(uuid).status == status

    def test_one_bad_address_does_not_keep_a_cluster_from_its_end(  # B56
        self, sweep, make_cluster, driver
    ):
        def poll(context, cluster):
            for nodegroup in cluster.nodegroups:
                nodegroup.node_addresses = [None, "10.0.0.5"]
                nodegroup.save()
            set_status("CREATE_COMPLETE")(context, cluster)

        driver.poll = poll
        uuid = make_cluster("CREATE_IN_PROGRESS")
        sweep.poll(uuid)
        assert row(uuid).status == "CREATE_COMPLETE"

    def test_a_driver_that_is_not_installed_is_told_once(  # B29
        self, sweep, make_cluster, caplog
    ):
        template = add_template("gone")
        uuids = [make_cluster("UPDATE_IN_PROGRESS", template=template) for _ in range(5)]
        for uuid in uuids * 2:
            with pytest.raises(RetryLater):
                sweep.poll(uuid)
        told = [each for each in caplog.records if "cannot be polled" in each.message]
        assert len(told) == 1
        assert "gone" in told[0].message
        assert not told[0].exc_info

    def test_a_database_that_is_away_is_told_by_the_sweep_alone(
        self, sweep, make_cluster, monkeypatch, caplog
    ):
        caplog.set_level(logging.INFO, "magnumlite")
        uuid = make_cluster("UPDATE_IN_PROGRESS")

        def away(*args):
            raise db_exc.DBConnectionError

        monkeypatch.setattr(lines, "read", away)
        with pytest.raises(RetryLater):
            sweep.poll(uuid)
        assert caplog.records == []

    def test_the_driver_is_looked_up_with_what_the_sweep_read(
        self, sweep, admin, make_cluster, monkeypatch, driver
    ):
        given = []

        def for_cluster(context, cluster, template=None):
            given.append(template.driver)
            return driver

        monkeypatch.setattr(registry, "for_cluster", for_cluster)
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        sweep.due(admin)
        sweep.poll(uuid)
        assert given == ["k8s_scripted"]


class TestDeletion:
    def left(self):
        with engine.reader() as session:
            return collections.Counter(
                {
                    model.__tablename__: session.scalar(
                        sa.select(sa.func.count()).select_from(model)
                    )
                    for model in (models.Cluster, models.NodeGroup)
                }
            )

    def test_what_the_driver_has_deleted_is_removed(self, sweep, make_cluster, driver, sent):
        uuid = make_cluster("DELETE_IN_PROGRESS")
        ended = operation(uuid, "delete")
        driver.poll = set_status("DELETE_COMPLETE")
        sweep.poll(uuid)
        assert self.left().total() == 0
        assert (outcome(ended), sent) == ("succeeded", [("delete", "success")])

    def test_a_driver_that_does_not_save_is_understood(self, sweep, make_cluster, driver, sent):
        def unsaved(context, cluster):
            cluster.status = "DELETE_COMPLETE"

        uuid = make_cluster("DELETE_IN_PROGRESS")
        driver.poll = unsaved
        sweep.poll(uuid)
        assert self.left().total() == 0
        assert sent == [("delete", "success")]

    def test_a_row_found_deleted_is_removed_without_a_poll(  # B68
        self, sweep, queue, admin, make_cluster, driver, sent
    ):
        uuid = make_cluster("DELETE_COMPLETE", ("DELETE_COMPLETE", "DELETE_COMPLETE"))
        sweep.due(admin)
        assert queue.keys == {uuid}
        sweep.poll(uuid)
        assert self.left().total() == 0
        assert driver.polled == []
        assert sent == [("delete", "success")]

    def test_of_two_that_finish_a_deletion_one_tells_it(  # B21
        self, sweep, make_cluster, driver, sent, caplog
    ):
        caplog.set_level(logging.INFO, "magnumlite")
        uuid = make_cluster("DELETE_IN_PROGRESS")
        depth = []

        def poll(context, cluster):
            depth.append(1)
            if len(depth) == 1:
                # Another conductor polls and finishes while this one is in its driver.
                nested = request_context.make_admin_context(all_tenants=True)
                StatusSweep(Queue(), lambda uuid: True)._poll(nested, uuid)
            cluster.status = "DELETE_COMPLETE"

        driver.poll = poll
        sweep.poll(uuid)
        assert self.left().total() == 0
        assert sent == [("delete", "success")]
        assert [each for each in caplog.records if each.levelno > logging.INFO] == []

    def test_nodegroups_that_drivers_left_are_removed(  # B36
        self, sweep, make_cluster, driver
    ):
        uuid = make_cluster("UPDATE_COMPLETE")
        with engine.writer() as session:
            session.add(make_nodegroup(uuid, "extra", "worker", "DELETE_COMPLETE"))
        sweep.poll(uuid)
        admin = request_context.make_admin_context(all_tenants=True)
        names = [group.name for group in objects.NodeGroup.list(admin, uuid)]
        assert sorted(names) == ["default-master", "default-worker"]


def test_complete_is_not_believed_while_a_nodegroup_is_on_its_way(  # B34
    sweep, queue, admin, make_cluster, driver, sent
):
    uuid = make_cluster("UPDATE_IN_PROGRESS", ("UPDATE_COMPLETE", "UPDATE_IN_PROGRESS"))
    operation(uuid, "upgrade")

    def first_poll(context, cluster):
        master = next(group for group in cluster.nodegroups if group.role == "master")
        master.status = "UPDATE_COMPLETE"
        master.save()
        set_status("UPDATE_COMPLETE")(context, cluster)

    driver.poll = first_poll
    for _ in range(3):
        sweep.poll(uuid)
    assert sent == []
    sweep.due(admin)
    assert queue.keys == {uuid}

    def last_poll(context, cluster):
        for group in cluster.nodegroups:
            group.status = "UPDATE_COMPLETE"
            group.save()
        set_status("UPDATE_COMPLETE")(context, cluster)

    driver.poll = last_poll
    sweep.poll(uuid)
    assert row(uuid).status == "UPDATE_COMPLETE"
    assert sent == [("update", "success")]


def test_claim_lost_is_not_an_error_of_the_job(sweep, make_cluster, driver):
    def overtaken(context, cluster):
        raise exception.ClaimLost(cluster=cluster.uuid, what="cluster")

    driver.poll = overtaken
    sweep.poll(make_cluster("UPDATE_IN_PROGRESS"))
    assert len(driver.polled) == 1


class TestAdoption:
    def operations(self):
        with engine.reader() as session:
            return [
                (row.cluster_uuid, row.action, row.released_at is not None, row.deadline_at)
                for row in session.scalars(sa.select(Operation).order_by(Operation.cluster_uuid))
            ]

    def test_clusters_without_an_operation_get_one_in_the_sweep(self, sweep, admin, make_cluster):
        created = make_cluster("CREATE_IN_PROGRESS", create_timeout=60)
        deleted = make_cluster("DELETE_IN_PROGRESS")
        make_cluster("UPDATE_COMPLETE", ("CREATE_COMPLETE", "UPDATE_IN_PROGRESS"))
        for _ in range(2):
            sweep.due(admin)
        found = {uuid: rest for uuid, *rest in self.operations()}
        assert found.keys() == {created, deleted}
        assert found[created][:2] == ["create", True]
        assert found[deleted] == ["delete", True, None]
        left = found[created][2] - now()
        assert datetime.timedelta(minutes=50) < left <= datetime.timedelta(minutes=60)

    @pytest.mark.parametrize("state", ["waiting", "running", "released"])
    def test_a_cluster_with_an_operation_gets_no_other(
        self, sweep, admin, make_cluster, driver, state
    ):
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        operation(uuid, "resize", state)
        sweep.due(admin)
        sweep.poll(uuid)
        assert [action for _, action, *_ in self.operations()] == ["resize"]

    def test_an_operation_accepted_during_the_selection_is_not_overlooked(
        self, sweep, admin, make_cluster, monkeypatch
    ):
        real = lines.standings
        made = []

        def earlier():
            before = real()
            made.append(make_cluster("CREATE_IN_PROGRESS"))
            operation(made[0], "create", "waiting")
            return before

        monkeypatch.setattr(lines, "standings", earlier)
        sweep.due(admin)
        assert len(self.operations()) == 1

    def test_where_another_conductor_adopts_too_one_row_is_written(
        self, sweep, admin, make_cluster, monkeypatch, driver
    ):
        uuids = [make_cluster("UPDATE_IN_PROGRESS") for _ in range(3)]
        found = lines.strays(uuids)
        settle.adopt(uuids[:1])
        monkeypatch.setattr(lines, "strays", lambda some: [s for s in found if s[0] in some])
        assert not settle.adopt(uuids)
        monkeypatch.undo()
        sweep.due(admin)
        assert sorted(uuid for uuid, *_ in self.operations()) == sorted(uuids)

    def test_a_second_update_is_adopted_anew(self, sweep, admin, make_cluster, monkeypatch, sent):
        made = ScriptedDriver()
        monkeypatch.setattr(registry, "for_cluster", lambda *args: made)
        uuid = make_cluster("UPDATE_IN_PROGRESS")
        for _ in range(2):
            made.poll = lambda context, cluster: None
            sweep.due(admin)
            made.poll = set_status("UPDATE_COMPLETE")
            sweep.poll(uuid)
            with engine.writer() as session:
                session.execute(sa.update(models.Cluster).values(status="UPDATE_IN_PROGRESS"))
        assert len(self.operations()) == 2
        assert sent == [("update", "success")] * 2
