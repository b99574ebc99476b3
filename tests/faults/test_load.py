"""Slow drivers hold up neither reads nor callers, and the database's connections suffice."""

import concurrent.futures
import statistics
import threading
import time
import uuid
from typing import Any

import pytest

from magnumlite.context import RequestContext
from magnumlite.objects.base import MagnumObjectRegistry
from magnumlite.rpc import client
from tests.conftest import PROJECT, USER
from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet

#: Seconds that a caller of an upgrade waits, and the conductor knows it; it answers this much
#: earlier; and the driver takes so long that it must.
TIMEOUT, MARGIN, TAKES = 60, 45, 25


@pytest.mark.timeout(1200)
def test_reads_stay_quick_and_no_call_outlives_its_caller(
    start_fleet: StartFleet, caller: Caller
) -> None:
    """B31, B32: creates of 3 s and slow upgrades fill the pools; an object is read meanwhile."""
    fleet = start_fleet(
        "alpha", rpc_response_timeout=str(TIMEOUT), conductor__call_margin=str(MARGIN)
    )
    upgrades = scale.count(100, 24)
    slow = {"upgrade": {"alone": True, "sleep": TAKES}}
    clusters = [caller.create(**slow) for _ in range(upgrades)]
    assert not figures.settle(caller.sent)
    for _ in range(scale.count(200, 60)):
        caller.create(create={"alone": True, "sleep": 3})
    reading = _Reading(clusters[0])
    answered: list[float] = []

    def upgrade(cluster: str) -> None:
        begun = time.monotonic()
        assert caller.upgrade(cluster, TIMEOUT).status == "UPDATE_IN_PROGRESS"
        answered.append(time.monotonic() - begun)

    with concurrent.futures.ThreadPoolExecutor(upgrades) as threads:
        reading.start()
        for call in [threads.submit(upgrade, cluster) for cluster in clusters]:
            call.result()
        reading.stop()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report(
        "slow creates and upgrades",
        result,
        reads=len(reading.took),
        read_p50=f"{statistics.median(reading.took) * 1000:.0f} ms",
        read_p95=f"{statistics.quantiles(reading.took, n=20)[-1] * 1000:.0f} ms",
        slowest_call=f"{max(answered):.1f} s of {TIMEOUT}",
    )
    assert result.well == result.sent, result.reasons
    assert reading.errors == []
    assert len(answered) == upgrades
    assert min(answered) < TAKES, "the driver was waited for"


@pytest.mark.timeout(600)
def test_connections_suffice(start_fleet: StartFleet, caller: Caller) -> None:
    """B30: 64 threads for requests, 10 connections, 200 reads at once and 20 slow creates."""
    fleet = start_fleet(
        "alpha",
        conductor__workers="1",
        conductor__request_slots="64",
        conductor__operation_threads="20",
        database__max_pool_size="5",
        database__max_overflow="5",
        executor_thread_pool_size="64",
    )
    cluster = caller.create()
    assert not figures.settle(caller.sent)
    for _ in range(20):
        caller.create(create={"alone": True, "sleep": 3})
    with concurrent.futures.ThreadPoolExecutor(64) as threads:
        reads = [threads.submit(_read, cluster) for _ in range(200)]
        for read in reads:
            assert read.result()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report("64 threads on 10 connections", result, reads=len(reads))
    assert result.well == result.sent
    assert "No database connection came free" not in fleet.text()


class _Reading:
    """Reads an object every 100 ms; a slow answer delays no later question."""

    def __init__(self, cluster: str) -> None:
        self._cluster = cluster
        self._enough = threading.Event()
        self._threads = concurrent.futures.ThreadPoolExecutor(64)
        self._clock = threading.Thread(target=self._ask)
        self.took: list[float] = []
        self.errors: list[Exception] = []

    def start(self) -> None:
        self._clock.start()

    def stop(self) -> None:
        self._enough.set()
        self._clock.join()
        self._threads.shutdown()

    def _ask(self) -> None:
        while not self._enough.wait(0.1):
            self._threads.submit(self._one)

    def _one(self) -> None:
        begun = time.monotonic()
        try:
            _read(self._cluster)
        except Exception as error:
            self.errors.append(error)
        else:
            self.took.append(time.monotonic() - begun)


def _read(cluster: str) -> Any:
    """Return a cluster as magnum-api reads it, over indirection."""
    context = RequestContext(
        user_id=USER,
        project_id=PROJECT,
        is_admin=False,
        overwrite=False,
        request_id=f"req-{uuid.uuid4()}",
    )
    versions = {
        name: kinds[0].VERSION for name, kinds in MagnumObjectRegistry.obj_classes().items()
    }
    return client.API(context, timeout=60).object_class_action_versions(
        context, "Cluster", "get_by_uuid", versions, (cluster,), {}
    )
