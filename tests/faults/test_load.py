"""Slow drivers hold up neither reads nor callers, and the database's connections suffice."""

import concurrent.futures
import statistics
import time

import pytest

from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet
from tests.faults.reading import Reading, read

#: Seconds that a caller of an upgrade waits, and the conductor knows it; it answers this much
#: earlier; and the driver takes so long that it must.
TIMEOUT, MARGIN, TAKES = 60, 45, 25


@pytest.mark.timeout(1200)
def test_reads_stay_quick_and_no_call_outlives_its_caller(
    start_fleet: StartFleet, caller: Caller, site: dict[str, str]
) -> None:
    """B31, B32: creates of 3 s and slow upgrades fill the pools; an object is read meanwhile."""
    fleet = start_fleet(
        "alpha", rpc_response_timeout=str(TIMEOUT), conductor__call_margin=str(MARGIN)
    )
    upgrades = scale.count(100, 24)
    slow = {"upgrade": {"alone": True, "sleep": TAKES}}
    clusters = [caller.create(**slow) for _ in range(upgrades)]
    assert not figures.settle(caller.sent)
    answered: list[float] = []

    def upgrade(cluster: str) -> None:
        begun = time.monotonic()
        assert caller.upgrade(cluster, TIMEOUT).status == "UPDATE_IN_PROGRESS"
        answered.append(time.monotonic() - begun)

    reading = Reading(site["transport_url"], clusters[0])
    for _ in range(scale.count(200, 60)):
        caller.create(create={"alone": True, "sleep": 3})
    with concurrent.futures.ThreadPoolExecutor(upgrades) as threads:
        for call in [threads.submit(upgrade, cluster) for cluster in clusters]:
            call.result()
    stuck = figures.settle(caller.sent)
    took = reading.stop()
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report(
        "slow creates and upgrades",
        result,
        reads=len(took),
        read_p50=f"{statistics.median(took) * 1000:.0f} ms",
        read_p95=f"{statistics.quantiles(took, n=20)[-1] * 1000:.0f} ms",
        slowest_call=f"{max(answered):.1f} s of {TIMEOUT}",
    )
    assert result.well == result.sent, result.reasons
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
        reads = [threads.submit(read, cluster) for _ in range(200)]
        for done in reads:
            assert done.result()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report("64 threads on 10 connections", result, reads=len(reads))
    assert result.well == result.sent
    assert "No database connection came free" not in fleet.text()
