import threading

import pytest
import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite import context as request_context
from magnumlite.conductor import recovery
from magnumlite.db import engine, models
from magnumlite.db.own_models import Host
from magnumlite.fleet import members
from magnumlite.journal import lines
from magnumlite.periodic.service import Periodic

PATIENCE = 60


def wait_for(true):
    pause = threading.Event()
    for _ in range(PATIENCE * 50):
        if true():
            return
        pause.wait(0.02)
    raise AssertionError("it never came true")


@pytest.fixture
def periodic(database, template):
    made = []

    def make(**options):
        made.append(Periodic("host-1", lambda: True))
        return made[-1]

    yield make
    for each in made:
        each.stop()
        each.wait()


def host():
    with engine.reader() as session:
        return session.execute(
            sa.select(Host.sweeps, Host.draining).where(Host.host == "host-1")
        ).one_or_none()


def services():
    with engine.reader() as session:
        return list(session.scalars(sa.select(models.MagnumService.host)))


def test_it_polls_at_once_and_reports_its_host(periodic, make_cluster, driver):
    uuid = make_cluster("UPDATE_IN_PROGRESS")
    periodic().start()
    wait_for(lambda: uuid in driver.polled)
    wait_for(lambda: services() == ["host-1"])
    assert host() == (True, False)


def test_without_periodic_enable_a_host_does_what_only_it_can_do(
    conf, periodic, make_cluster, driver
):
    conf.set_override("periodic_enable", False)
    make_cluster("UPDATE_IN_PROGRESS")
    started = periodic()
    started.start()
    wait_for(lambda: services() == ["host-1"])
    wait_for(lambda: host() == (False, False))
    assert driver.polled == []
    wait_for(lambda: not started.sweep_queue.running())
    assert started.sweep_queue.counters()["started"] == 2


def test_clusters_of_a_host_that_is_gone_do_not_wait_for_the_next_interval(
    conf, periodic, make_cluster, driver
):
    conf.set_override("interval", 3600, "sync")
    conf.set_override("beat_interval", 1, "fleet")
    conf.set_override("dead_after", 600, "fleet")
    uuids = {make_cluster("UPDATE_IN_PROGRESS") for _ in range(30)}
    members.beat("host-2", sweeps=True, draining=False)
    started = periodic()
    started.start()
    wait_for(lambda: driver.polled)
    wait_for(lambda: set(driver.polled) == {one for one in uuids if started.ownership.owns(one)})
    assert set(driver.polled) < uuids
    with engine.writer() as session:
        session.execute(sa.delete(Host).where(Host.host == "host-2"))
    wait_for(lambda: set(driver.polled) == uuids)


def test_a_negative_interval_switches_health_off(conf, periodic):  # B09
    conf.set_override("health_polling_interval", -1, "kubernetes")
    started = periodic()
    started._health.due = pytest.fail
    started.start()
    wait_for(lambda: started.sweep_queue.counters().get("succeeded") == 4)


def test_recovery_runs_with_the_status_task(periodic, monkeypatch):
    swept = threading.Event()
    monkeypatch.setattr(recovery, "sweep", swept.set)
    periodic().start()
    assert swept.wait(PATIENCE)


def test_stopping_drains_and_leaves_no_thread(periodic, driver, make_cluster):  # B05
    before = set(threading.enumerate())
    started = periodic()
    started.start()
    wait_for(lambda: len(started._timers.timers) == 2)
    timers = list(started._timers.timers)
    started.stop()
    started.wait()
    assert host() == (True, True)
    # oslo.service's timers are executors, whose idle threads end with the process.
    left = {thread for thread in set(threading.enumerate()) - before if "Thread" not in thread.name}
    wait_for(lambda: not [thread for thread in left if thread.is_alive()])
    for timer in timers:
        timer.wait()


def test_a_database_that_is_away_is_one_line_a_sweep_and_not_the_end(
    conf, periodic, monkeypatch, make_cluster, driver, caplog
):
    conf.set_override("interval", 1, "sync")
    uuid = make_cluster("UPDATE_IN_PROGRESS")
    real = lines.standings

    def away():
        raise db_exc.DBConnectionError

    monkeypatch.setattr(lines, "standings", away)
    periodic().start()
    wait_for(lambda: caplog.text.count("sync_cluster_status: the database does not answer") >= 2)
    assert not [each for each in caplog.records if each.exc_info and "sync" in each.message]
    monkeypatch.setattr(lines, "standings", real)
    wait_for(lambda: uuid in driver.polled)


def test_a_sweep_that_raises_is_told_and_comes_again(
    conf, periodic, monkeypatch, make_cluster, driver, caplog
):
    conf.set_override("interval", 1, "sync")
    uuid = make_cluster("UPDATE_IN_PROGRESS")
    real = lines.standings

    def broken():
        raise RuntimeError("a bug")

    monkeypatch.setattr(lines, "standings", broken)
    periodic().start()
    wait_for(lambda: "RuntimeError: a bug" in caplog.text)
    monkeypatch.setattr(lines, "standings", real)
    wait_for(lambda: uuid in driver.polled)


def test_sweeps_have_the_administrators_context_which_is_gone_afterwards(periodic, monkeypatch):
    seen = []
    swept = threading.Event()

    def look():
        context = request_context.ctx()
        seen.append((context.is_admin, context.all_tenants))
        swept.set()
        raise RuntimeError

    monkeypatch.setattr(recovery, "sweep", look)
    started = periodic()
    started.ownership.beat()
    with pytest.raises(RuntimeError):
        started._sweep("recovery")
    assert seen == [(True, True)]
    assert not request_context.has_ctx()


def test_fifty_cycles_with_a_tenth_hung_leave_threads_flat(  # B11, B41
    conf, periodic, make_cluster, driver, admin
):
    hung = {make_cluster("UPDATE_IN_PROGRESS") for _ in range(2)}
    quick = {make_cluster("UPDATE_IN_PROGRESS") for _ in range(18)}
    conf.set_override("slow_after", 0.05, "sync")
    let_go = threading.Event()

    def poll(context, cluster):
        if cluster.uuid in hung:
            let_go.wait()

    driver.poll = poll
    started = periodic()
    started.ownership.beat()
    started.status_queue.start()
    try:
        threads = []
        for cycle in range(1, 51):
            started._status.due(admin)
            wait_for(
                lambda cycle=cycle: started.status_queue.counters().get("succeeded") == 18 * cycle
            )
            threads.append(started.status_queue.counters()["now_threads"])
        assert max(threads) <= conf.sync.quick_slots + len(hung)
        assert sorted(driver.polled.count(uuid) for uuid in hung) == [1] * 2
        assert all(driver.polled.count(uuid) == 50 for uuid in quick)
    finally:
        let_go.set()
