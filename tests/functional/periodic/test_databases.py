"""The fleet and the status sweep on the databases that people run."""

import threading

import sqlalchemy as sa

from magnumlite.db import engine, models, schema
from magnumlite.db.own_models import Host
from magnumlite.fleet import members
from magnumlite.fleet.ownership import Ownership
from magnumlite.periodic.heartbeat import Heartbeat
from magnumlite.periodic.service import Periodic
from magnumlite.periodic.status import StatusSweep
from tests.unit.periodic.test_status import Queue, operation, outcome, set_status


def at_once(count, do):
    """Run `do(n)` in as many threads, which begin together."""
    ready = threading.Barrier(count)
    errors = []

    def run(n):
        ready.wait()
        try:
            do(n)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_hosts_come_and_go_by_the_databases_clock(database):
    for host in ("a", "b"):
        members.beat(host, sweeps=True, draining=False)
    assert members.live(20) == ["a", "b"]
    with engine.writer() as session:
        session.execute(
            sa.update(Host).where(Host.host == "a").values(seen_at=engine.seconds_ago(20.5))
        )
    assert members.live(20) == ["b"]
    assert members.live(22) == ["a", "b"]


def test_first_beats_at_once_leave_one_row(database):
    at_once(8, lambda n: members.beat("a", sweeps=True, draining=False))
    assert members.live(20) == ["a"]


def test_heartbeats_of_one_host_at_once_leave_one_row(database, admin):
    at_once(4, lambda n: Heartbeat("a", lambda: True).beat(admin))
    with engine.reader() as session:
        rows = session.scalars(sa.select(models.MagnumService)).all()
        assert len(rows) == 1
        assert rows[0].last_seen_up is not None


def test_a_cluster_from_its_selection_to_its_end(
    database,
    admin,
    make_cluster,
    driver,
    sent,
):
    queue = Queue()
    sweep = StatusSweep(queue, lambda uuid: True)
    created, deleted = make_cluster("CREATE_IN_PROGRESS"), make_cluster("DELETE_COMPLETE")
    inherited = make_cluster("UPDATE_IN_PROGRESS")
    operations = [operation(created, "create"), operation(deleted, "delete")]
    sweep.due(admin)
    assert queue.keys == {created, deleted, inherited}
    driver.poll = set_status("CREATE_COMPLETE")
    sweep.poll(created)
    sweep.poll(deleted)
    driver.poll = set_status("UPDATE_COMPLETE")
    sweep.poll(inherited)
    assert [outcome(each) for each in operations] == ["succeeded", "succeeded"]
    assert sent == [("create", "success"), ("delete", "success"), ("update", "success")]
    sweep.due(admin)
    assert queue.keys == set()


def test_two_that_finish_a_deletion_at_once_tell_it_once(  # B21
    database,
    make_cluster,
    driver,
    sent,
):
    uuid = make_cluster("DELETE_IN_PROGRESS")
    operation(uuid, "delete")
    met = threading.Barrier(2, timeout=60)

    def poll(context, cluster):
        met.wait()
        cluster.status = "DELETE_COMPLETE"

    driver.poll = poll
    at_once(2, lambda n: StatusSweep(Queue(), lambda uuid: True).poll(uuid))
    assert sent == [("delete", "success")]


def test_three_hosts_share_the_clusters_and_a_drained_one_hands_its_own_over(  # B41
    database,
    conf,
    make_cluster,
    driver,
):
    uuids = {make_cluster("UPDATE_IN_PROGRESS") for _ in range(30)}
    fleet = [Periodic(host, lambda: True) for host in ("a", "b", "c")]
    for _ in range(2):
        for host in fleet:
            host.ownership.beat()
    shares = [{uuid for uuid in uuids if host.ownership.owns(uuid)} for host in fleet]
    assert all(shares)
    assert sum(map(len, shares)) == 30
    fleet[0].ownership.drain()
    for host in fleet[1:]:
        host.ownership.beat()
    left = [{uuid for uuid in uuids if host.ownership.owns(uuid)} for host in fleet]
    assert left[0] == set()
    assert left[1] | left[2] == uuids
    assert shares[1] <= left[1]
    assert shares[2] <= left[2]


def test_ownership_survives_a_database_that_goes_and_comes(mariadb_server, conf, request):
    conf.set_override("connection", request.getfixturevalue("mariadb_database"), "database")
    conf.set_override("max_retries", 1, "database")
    engine.dispose()
    schema.upgrade()
    now = [0.0]
    ownership = Ownership("a", sweeps=True, clock=lambda: now[0])
    assert ownership.beat()
    mariadb_server.kill()
    try:
        assert not ownership.beat()
        assert ownership.owns("cluster")
        now[0] = 21
        assert not ownership.owns("cluster")
    finally:
        mariadb_server.start()
    assert ownership.beat()
    assert ownership.owns("cluster")
    engine.dispose()
