"""Calls that only read: what each costs the conductor."""

from typing import Any

from benchmarks import wire
from benchmarks.benchmark import benchmark, milliseconds
from benchmarks.figures import Figure, times_at_least, times_at_most
from benchmarks.load import Calls
from benchmarks.rig import Rig
from benchmarks.window import Window

#: A status that no sweep looks at: only the calls are measured.
LEFT_ALONE = "ROLLBACK_COMPLETE"


@benchmark(
    "ping: 16 calls under way",
    Figure("calls_s", "calls a second", "/s", times_at_least(1.5), more_is_better=True),
    Figure("p95_ms", "latency, 95th percentile", "ms"),
    Figure("cpu_ms_call", "CPU a call", "ms"),
)
def ping(rig: Rig) -> dict[str, Any]:
    return _measured(rig, [("ping_conductor", {})])


@benchmark(
    "get: Cluster.get_by_uuid of 100, 16 calls under way",
    Figure("cpu_ms_call", "CPU a call", "ms", times_at_most(0.4)),
    Figure("calls_s", "calls a second", "/s", more_is_better=True),
    Figure("p95_ms", "latency, 95th percentile", "ms"),
)
def get(rig: Rig) -> dict[str, Any]:
    uuids = rig.clusters(100, LEFT_ALONE)
    return _measured(rig, [wire.read("get_by_uuid", uuid) for uuid in uuids])


@benchmark(
    "list: Cluster.list of 500, one call after the other",
    Figure("cpu_ms_call", "CPU a call", "ms", times_at_most(0.5)),
    Figure("p50_ms", "latency, median", "ms"),
)
def list(rig: Rig) -> dict[str, Any]:
    count = rig.size(500, quick=50)
    rig.clusters(count, LEFT_ALONE)
    return _measured(rig, [wire.read("list", limit=count)], under_way=1)


def _measured(rig: Rig, requests: Any, under_way: int = 16) -> dict[str, Any]:
    conductor = rig.start()
    conductor.wait_ready()
    conductor.settle()
    # Every thread of every worker opens its connection and compiles its statements.
    rig.load(Calls(requests, seconds=rig.size(4, quick=2), under_way=under_way)).run()
    load = rig.load(Calls(requests, seconds=rig.size(8, quick=2), under_way=under_way))
    with Window(rig, conductor) as window:
        done = load.run()
    calls = len(done.latencies)
    return {
        "calls_s": calls / (done.end - done.begin),
        **milliseconds(done.latencies),
        "cpu_ms_call": 1000 * window.cpu / calls,
        "client_cpu_ms_call": 1000 * done.cpu / calls,
        "broker_cpu_ms_call": 1000 * window.broker_cpu / calls,
        "database_cpu_ms_call": 1000 * window.database_cpu / calls,
        "statements_call": window.statements / calls,
        "errors": done.errors,
        "log_errors": conductor.errors(),
        **window.noise,
    }
