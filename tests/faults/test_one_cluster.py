"""Many requests for one cluster: one at a time, in their order, and a delete gets through."""

import collections
import concurrent.futures
import random

import pytest

from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet
from tests.faults.fleet import until

ALONE = {"alone": True, "sleep": 0.1}


@pytest.mark.timeout(900)
def test_parallel_nodegroup_requests_all_succeed_in_order(
    start_fleet: StartFleet, caller: Caller
) -> None:
    """B23: creates, deletes and resizes at once; the driver raises if it is entered twice."""
    fleet = start_fleet("alpha", "beta")
    many = scale.count(20, 20)
    names = ("create", "resize", "nodegroup_create", "nodegroup_delete")
    cluster = caller.create(**dict.fromkeys(names, ALONE))
    assert not figures.settle(caller.sent)
    old = [caller.nodegroup_create(cluster, f"old{number}") for number in range(many)]
    assert not figures.settle(caller.sent)
    asks = [
        *((caller.nodegroup_create, cluster, f"new{number}") for number in range(many)),
        *((caller.nodegroup_delete, cluster, nodegroup) for nodegroup in old),
        *((caller.resize, cluster, size) for size in range(2, 2 + many)),
    ]
    random.Random(5).shuffle(asks)
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        for asked in [threads.submit(ask, *arguments) for ask, *arguments in asks]:
            asked.result()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report("one cluster", result)
    assert result.well == result.sent, result.reasons
    accepted = [row.request_id for row in figures.journal() if row.cluster_uuid == cluster]
    entered = [call.request for call in figures.calls(fleet.directory) if call.cluster == cluster]
    assert entered == accepted
    sizes = {request.id: request.size for request in caller.sent if request.kind == "resize"}
    last = [sizes[request] for request in accepted if request in sizes][-1]
    found = caller.get(cluster)
    assert found.default_ng_worker.node_count == last
    assert {group.name for group in found.nodegroups if not group.is_default} == {
        f"new{number}" for number in range(many)
    }


@pytest.mark.timeout(900)
def test_a_delete_gets_past_a_driver_that_hangs(start_fleet: StartFleet, caller: Caller) -> None:
    """The resize never returns; it and what waits behind it end as superseded."""
    fleet = start_fleet("alpha", "beta", conductor__delete_wait=str(int(scale.sized(60, 3))))
    clusters = [caller.create(resize={"hang": True}) for _ in range(3)]
    assert not figures.settle(caller.sent)
    for cluster in clusters:
        caller.resize(cluster, 5)
    until(
        lambda: (
            {call.cluster for call in figures.calls(fleet.directory) if call.end is None}
            == set(clusters)
        ),
        "drivers that hang",
        fleet.text,
    )
    for cluster in clusters:
        caller.nodegroup_create(cluster, "waits")
    until(
        lambda: (
            collections.Counter(row.action for row in figures.journal() if row.outcome is None)
            == {"resize": len(clusters), "nodegroup_create": len(clusters)}
        ),
        "requests that wait",
        fleet.text,
    )
    for cluster in clusters:
        caller.delete(cluster)
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report("driver hangs", result)
    assert (result.well, result.superseded, result.failed) == (6, 6, 0), result.reasons
    rows = figures.journal()
    assert {row.outcome for row in rows if row.action == "resize"} == {"superseded"}
    assert all(row.reason for row in rows if row.outcome == "superseded")
    assert result.leaked_certificates == 0
