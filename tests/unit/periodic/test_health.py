import collections
import logging

import pytest
from oslo_db import exception as db_exc

from magnumlite import exception, objects
from magnumlite.conductor import states
from magnumlite.db import engine, fence
from magnumlite.db.own_models import Operation
from magnumlite.drivers import monitors
from magnumlite.kubernetes import client
from magnumlite.kubernetes.client import Clients
from magnumlite.notifications import events
from magnumlite.periodic import health
from magnumlite.periodic.health import HealthSweep
from tests.unit.drivers.simulated import rows

pytestmark = pytest.mark.usefixtures("database")


class Queue:
    def __init__(self):
        self.keys = []
        self.waits = []

    def add(self, key, after=0.0):
        self.keys.append(key)
        self.waits.append(after)


class Monitor:
    """A driver's monitor: says what it is told."""

    def __init__(self, cluster):
        self.cluster = cluster
        self.data = {}

    def poll_health_status(self):
        told = ANSWERS[self.cluster.uuid]
        if callable(told):
            told = told(self.cluster)
        if isinstance(told, BaseException):
            raise told
        self.data = told


ANSWERS: dict = {}
HEALTHY = {"health_status": "HEALTHY", "health_status_reason": {"a.Ready": True, "api": "ok"}}
UNHEALTHY = {"health_status": "UNHEALTHY", "health_status_reason": {"api": "no answer in time"}}


@pytest.fixture(autouse=True)
def monitored(monkeypatch):
    ANSWERS.clear()
    monkeypatch.setattr(monitors, "create_monitor", lambda context, cluster, _: Monitor(cluster))
    monkeypatch.setattr(health, "CLIENTS", Clients())


@pytest.fixture
def row(context):
    return rows.cluster(context, status="CREATE_COMPLETE")


@pytest.fixture
def sweep(conf):
    return HealthSweep(Queue(), lambda uuid: True)


def shown(admin, row):
    now = rows.again(admin, row)
    return now.health_status, now.health_status_reason


def test_a_verdict_is_saved(sweep, admin, row):
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    assert shown(admin, row) == ("HEALTHY", {"a.Ready": "True", "api": "ok"})


def test_saved_only_when_changed(sweep, admin, row, monkeypatch):
    saves = []
    save = objects.Cluster.save
    monkeypatch.setattr(
        objects.Cluster, "save", lambda self, *args: (saves.append(self.uuid), save(self, *args))
    )
    ANSWERS[row.uuid] = HEALTHY
    for _ in range(5):
        sweep.check(row.uuid)
    assert saves == [row.uuid]
    ANSWERS[row.uuid] = UNHEALTHY
    sweep.check(row.uuid)
    assert len(saves) == 2
    assert shown(admin, row) == ("UNHEALTHY", {"api": "no answer in time"})


@pytest.mark.parametrize("status", sorted(objects.fields.ClusterStatus.ALL))
def test_which_statuses_are_looked_at(sweep, context, admin, status):
    row = rows.cluster(context, status=status)
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    polled = status in states.HEALTH_POLLED
    assert (shown(admin, row)[0] == "HEALTHY") == polled


def test_no_verdict_keeps_what_is_there(sweep, admin, row):
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    ANSWERS[row.uuid] = {}
    sweep.check(row.uuid)
    assert shown(admin, row)[0] == "HEALTHY"


def test_no_monitor_no_verdict(sweep, admin, row, monkeypatch):
    monkeypatch.setattr(monitors, "create_monitor", lambda *args: None)
    sweep.check(row.uuid)
    assert shown(admin, row) == (None, {})


def test_a_cluster_that_is_gone_is_closed(sweep, row, monkeypatch):
    forgotten = []
    monkeypatch.setattr(health.CLIENTS, "forget", forgotten.append)
    row.destroy()
    sweep.check(row.uuid)
    assert forgotten == [row.uuid]


def test_a_monitor_that_keeps_failing_makes_unknown(sweep, conf, admin, row, caplog):
    # B40
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    ANSWERS[row.uuid] = exception.CertificateStorageException(msg="store is down")
    with caplog.at_level(logging.WARNING):
        for _ in range(2):
            sweep.check(row.uuid)
            assert shown(admin, row)[0] == "HEALTHY"
        sweep.check(row.uuid)
    status, reason = shown(admin, row)
    assert status == "UNKNOWN"
    assert "store is down" in reason["api"]
    assert "since 20" in reason["api"]
    assert all(row.uuid in record.getMessage() for record in caplog.records)
    sweep.check(row.uuid)
    assert shown(admin, row)[1] == reason, "the time is that of the first failure"
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    assert shown(admin, row)[0] == "HEALTHY"
    ANSWERS[row.uuid] = RuntimeError()
    sweep.check(row.uuid)
    assert shown(admin, row)[0] == "HEALTHY", "a success starts the count anew"


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (SystemExit("enough"), "SystemExit"),
        ({"health_status": "Degraded", "health_status_reason": {}}, "'Degraded'"),
    ],
)
def test_a_monitor_that_ends_its_thread_or_says_nonsense_fails(sweep, admin, row, answer, told):
    # B40
    ANSWERS[row.uuid] = HEALTHY
    sweep.check(row.uuid)
    ANSWERS[row.uuid] = answer
    for _ in range(3):
        sweep.check(row.uuid)
    status, reason = shown(admin, row)
    assert status == "UNKNOWN"
    assert told in reason["api"]


def test_a_database_that_is_away_is_not_the_monitors_fault(sweep, conf, admin, row):
    conf.set_override("unknown_after", 1, "health")
    ANSWERS[row.uuid] = db_exc.DBConnectionError("away")
    with pytest.raises(db_exc.DBConnectionError):
        sweep.check(row.uuid)
    assert shown(admin, row)[0] is None


def test_a_driver_that_cannot_be_had_makes_unknown(sweep, conf, admin, row, monkeypatch):
    # B29, B40
    def gone(*args):
        raise exception.DriverUnavailable(driver_name="gone", reason="not installed")

    monkeypatch.setattr(monitors, "create_monitor", gone)
    conf.set_override("unknown_after", 1, "health")
    sweep.check(row.uuid)
    assert shown(admin, row)[0] == "UNKNOWN"
    assert "not installed" in shown(admin, row)[1]["api"]


def test_what_a_monitor_does_to_its_object_is_not_saved(sweep, admin, row):
    # B57
    def meddle(cluster):
        cluster.status_reason = "meddled"
        cluster.health_status = "UNKNOWN"
        cluster.labels = {"meddled": "yes"}
        return HEALTHY

    ANSWERS[row.uuid] = meddle
    sweep.check(row.uuid)
    now = rows.again(admin, row)
    assert now.health_status == "HEALTHY"
    assert now.status_reason is None
    assert now.labels == {}


def test_a_monitors_node_count_does_not_undo_a_resize(sweep, admin, row):
    # B57
    def autoscaled(cluster):
        worker = cluster.default_ng_worker
        with engine.writer() as session:
            session.add(started(cluster.uuid))
        resized = rows.again(admin, row).default_ng_worker
        with fence.lifted():
            resized.node_count = 5
            resized.save()
        worker.node_count = 3
        worker.save()
        return HEALTHY

    ANSWERS[row.uuid] = autoscaled
    sweep.check(row.uuid)
    assert rows.again(admin, row).default_ng_worker.node_count == 5
    assert shown(admin, row)[0] is None


def autoscaled(cluster):
    """Write back, as a monitor may, what it has found: three workers."""
    worker = cluster.default_ng_worker
    worker.node_count = 3
    worker.node_addresses = ["10.0.0.9"]
    worker.save()
    return HEALTHY


@pytest.mark.parametrize("status", ["UPDATE_IN_PROGRESS", "UPDATE_COMPLETE"])
def test_a_monitors_node_count_does_not_undo_a_resize_on_its_way(sweep, admin, row, status):
    # B57: the driver has accepted it, or another conductor has called it.
    row.status = status
    row.save()
    if status == "UPDATE_COMPLETE":
        with engine.writer() as session:
            resize = started(row.uuid)
            resize.running_key, resize.released_at = None, engine.now()
            session.add(resize)
    worker = row.default_ng_worker
    worker.node_count = 5
    worker.save()

    ANSWERS[row.uuid] = autoscaled
    sweep.check(row.uuid)
    worker = rows.again(admin, row).default_ng_worker
    assert (worker.node_count, worker.node_addresses) == (5, ["10.0.0.9"])
    assert shown(admin, row)[0] == "HEALTHY"


def test_a_monitors_node_count_counts_at_rest(sweep, admin, row):
    ANSWERS[row.uuid] = autoscaled
    sweep.check(row.uuid)
    assert rows.again(admin, row).default_ng_worker.node_count == 3


def started(cluster_uuid):
    """Return a journal row of a resize that has just begun."""
    return Operation(
        uuid="0" * 36,
        cluster_uuid=cluster_uuid,
        action="resize",
        running_key=cluster_uuid,
        accepted_at=engine.now(),
        started_at=engine.now(),
        heartbeat_at=engine.now(),
    )


def test_a_cluster_that_its_driver_has_not_seen_yet_is_not_looked_at(sweep, admin, row):  # B56
    ANSWERS[row.uuid] = UNHEALTHY
    row.status = "CREATE_IN_PROGRESS"
    row.save()
    with engine.writer() as session:
        create = started(row.uuid)
        create.action = "create"
        session.add(create)
    sweep.check(row.uuid)
    assert shown(admin, row)[0] is None
    with engine.writer() as session:
        returned = session.get(Operation, create.id)
        returned.running_key, returned.released_at = None, engine.now()
    sweep.check(row.uuid)
    assert shown(admin, row)[0] == "UNHEALTHY"


def test_a_large_reason_is_cut_with_a_count_and_the_verdict_kept(sweep, admin, row):
    # B37
    reason = {f"node-{number:05}.Ready": number != 3999 for number in range(4000)}
    ANSWERS[row.uuid] = {
        "health_status": "UNHEALTHY",
        "health_status_reason": {**reason, "api": "ok"},
    }
    sweep.check(row.uuid)
    status, kept = shown(admin, row)
    assert status == "UNHEALTHY"
    assert kept["node-03999.Ready"] == "False", "what is wrong is kept"
    assert any("entries cut" in text for text in kept.values())
    before = rows.again(admin, row).updated_at
    sweep.check(row.uuid)
    assert rows.again(admin, row).updated_at == before, "the same cut reason is no change"


@pytest.mark.parametrize(
    ("turns", "sent"),
    [
        ([HEALTHY], [None]),
        ([HEALTHY, HEALTHY], [None]),
        ([HEALTHY, UNHEALTHY, UNHEALTHY, HEALTHY], [None, "HEALTHY", "UNHEALTHY"]),
        ([UNHEALTHY], []),
    ],
)
def test_the_event_when_healthy_turns(sweep, conf, row, monkeypatch, turns, sent):
    # B51
    told = []
    monkeypatch.setattr(events, "health", lambda context, cluster, before: told.append(before))
    for turn in turns:
        ANSWERS[row.uuid] = turn
        sweep.check(row.uuid)
    assert told == [], "only if asked for"
    row.health_status, row.health_status_reason = None, {}
    row.save()
    conf.set_override("notify", True, "health")
    for turn in turns:
        ANSWERS[row.uuid] = turn
        sweep.check(row.uuid)
    assert told == sent


@pytest.fixture
def clock(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(health.time, "monotonic", lambda: now[0])
    return now


def test_a_negative_interval_disables(conf, admin, row):
    # B09
    conf.set_override("health_polling_interval", -1, "kubernetes")
    sweep = HealthSweep(Queue(), lambda uuid: True)
    assert not sweep.enabled
    sweep.due(admin)
    assert sweep._queue.keys == []


@pytest.mark.parametrize(("interval", "spacing"), [(5, 0.5), (60, 3.0), (600, 10.0)])
def test_the_interval_of_the_file_is_honoured(conf, admin, context, clock, interval, spacing):
    # B09
    for _ in range(20):
        rows.cluster(context, status="CREATE_COMPLETE")
    conf.set_override("health_polling_interval", interval, "kubernetes")
    queue = Queue()
    sweep = HealthSweep(queue, lambda uuid: True)
    assert sweep.spacing == spacing
    ends = clock[0] + 10 * interval
    while clock[0] < ends:
        sweep.due(admin)
        clock[0] += spacing
    polls = collections.Counter(queue.keys)
    assert len(polls) == 20
    assert set(polls.values()) <= {9, 10, 11}
    # Not all of a call at once: each at its own moment.
    assert 0 <= min(queue.waits) < max(queue.waits) <= spacing


def test_due_asks_nothing_and_takes_owned_clusters_in_the_nine_states(conf, admin, context, clock):
    # B41
    mine = rows.cluster(context, status="CREATE_COMPLETE")
    theirs = rows.cluster(context, status="CREATE_COMPLETE")
    resumed = rows.cluster(context, status="RESUME_COMPLETE")
    queue = Queue()
    sweep = HealthSweep(queue, lambda uuid: uuid != theirs.uuid)
    for _ in range(20):
        sweep.due(admin)
        clock[0] += 1
    assert queue.keys == [mine.uuid]
    assert resumed.uuid not in queue.keys


def test_connections_of_clusters_that_left_are_closed(sweep, admin, context, row, monkeypatch):
    kept = []
    monkeypatch.setattr(health.CLIENTS, "keep_only", lambda uuids: kept.append(list(uuids)))
    sweep.due(admin)
    client.CLIENTS.keep_only([])
    row.destroy()
    sweep.due(admin)
    assert kept == [[row.uuid], []]
