"""Fifty status cycles while a tenth of the drivers hang: nothing grows (B11, B12)."""

import collections
import os
import statistics
import threading
import time
import uuid

import pytest

from magnumlite import objects
from magnumlite.db import engine, models, schema
from magnumlite.drivers import registry
from magnumlite.drivers.base import Driver
from magnumlite.periodic import tasks
from magnumlite.periodic.service import Periodic

#: With 1,000 it takes five times as long.
CLUSTERS = int(os.environ.get("FLAT_CLUSTERS", "200"))
HUNG = CLUSTERS // 10
CYCLES = 50


class HangingDriver(Driver):
    """Polls of the clusters in `hung` do not return before `release` is set."""

    provides = [{"server_type": "vm", "os": "ubuntu", "coe": "kubernetes"}]

    def __init__(self):
        self.polls = collections.Counter()
        self.hung = set()
        self.release = threading.Event()

    def update_cluster_status(self, context, cluster, use_admin_ctx=False):
        self.polls[cluster.uuid] += 1
        if cluster.uuid in self.hung:
            self.release.wait()


for _name in Driver.__abstractmethods__ - {"provides"}:
    setattr(HangingDriver, _name, lambda self, *args, **kwargs: None)
HangingDriver.__abstractmethods__ = frozenset()


@pytest.fixture
def fleet(conf, mariadb_database):
    conf.set_override("connection", mariadb_database, "database")
    conf.set_override("slow_after", 0.1, "sync")
    engine.dispose()
    schema.upgrade()
    yield conf
    engine.dispose()


@pytest.fixture
def driver(monkeypatch):
    made = HangingDriver()
    monkeypatch.setattr(registry, "for_cluster", lambda *args, **kwargs: made)
    yield made
    made.release.set()


def add_clusters(count):
    objects.register_all()
    template, uuids = str(uuid.uuid4()), [str(uuid.uuid4()) for _ in range(count)]
    with engine.writer() as session:
        session.add(
            models.ClusterTemplate(uuid=template, name="t", server_type="vm", coe="kubernetes")
        )
        session.flush()
        session.add_all(
            models.Cluster(
                uuid=one, name="c", cluster_template_id=template, status="UPDATE_IN_PROGRESS"
            )
            for one in uuids
        )
    return uuids


@pytest.mark.timeout(300 * max(1, CLUSTERS // 200))
def test_threads_and_descriptors_stay_flat(fleet, driver):
    uuids = add_clusters(CLUSTERS)
    driver.hung, well = set(uuids[:HUNG]), uuids[HUNG:]
    periodic = Periodic("alpha", lambda: True)
    threads, descriptors = [], []
    periodic.start()
    try:
        for cycle in range(1, CYCLES + 1):
            while min(driver.polls[one] for one in well) < cycle:
                periodic.sweep_queue.add(tasks.STATUS)
                time.sleep(0.05)
            threads.append(threading.active_count())
            descriptors.append(len(os.listdir("/proc/self/fd")))
    finally:
        driver.release.set()
        periodic.stop()
        periodic.wait()
    # What is kept for reuse may still come; magnum gets a thread a hung cluster each cycle.
    assert _growth(threads) <= fleet.sync.quick_slots, threads
    assert _growth(descriptors) <= fleet.database.max_pool_size, descriptors
    assert all(driver.polls[one] <= 1 for one in driver.hung)


def _growth(counts):
    """Return by how much the last ten exceed the first ten."""
    return statistics.median(counts[-10:]) - statistics.median(counts[:10])
