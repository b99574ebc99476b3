"""Creates: a burst of them, and who reads meanwhile."""

import uuid
from typing import Any

from benchmarks import calls, wire
from benchmarks.benches.reading import LEFT_ALONE
from benchmarks.benchmark import benchmark, milliseconds, until
from benchmarks.conductor import Conductor
from benchmarks.figures import Figure, at_most, times_at_most
from benchmarks.load import Calls, Casts, Load
from benchmarks.rig import TEMPLATE, Rig
from benchmarks.window import Window
from magnumlite import objects
from magnumlite.rpc.serializers import MagnumObjectSerializer


@benchmark(
    "create: 60 at once, the driver takes no time",
    Figure("last_call_s", "last driver call", "s", times_at_most(0.75)),
    Figure("cpu_s_create", "CPU a create", "s", times_at_most(0.8)),
    Figure("first_call_s", "first driver call", "s"),
    Figure("statements_create", "SQL statements a create"),
    Figure("driver_calls", "driver calls"),
)
def create(rig: Rig) -> dict[str, Any]:
    count = rig.size(60, quick=6)
    conductor, load = ready_to_create(rig, count)
    with Window(rig, conductor) as quiet:
        until(lambda: False, 3)
    with Window(rig, conductor) as window:
        begun = load.run().begin
        saved = until(lambda: rig.count("nodegroup", "stack_id IS NOT NULL") == 2 * count, 120)
    made = rig.driver_calls("create")
    first = sorted(series[0].begin for series in made.values())
    statements = window.statements - quiet.statements * window.wall / quiet.wall
    looks = window.wall / 0.1
    return {
        "first_call_s": first[0] - begun if first else None,
        "last_call_s": first[-1] - begun if len(first) == count else None,
        "saved_s": saved - begun if saved else None,
        "cpu_s_create": window.cpu / count,
        "database_cpu_s_create": window.database_cpu / count,
        "statements_create": round((statements - looks) / count),
        "driver_calls": sum(map(len, made.values())),
        "log_errors": conductor.errors(),
        **window.noise,
    }


@benchmark(
    "reads: ten a second, while 200 creates of 3 s are asked for and run",
    Figure("p95_ms", "latency, 95th percentile", "ms", at_most(100)),
    Figure("p50_ms", "latency, median", "ms"),
    Figure("max_ms", "latency, longest", "ms"),
    Figure("quiet_p95_ms", "latency before, 95th percentile", "ms"),
    Figure("creates_begun", "creates begun meanwhile", more_is_better=True),
)
def reads(rig: Rig) -> dict[str, Any]:
    conductor, load = ready_to_create(rig, rig.size(200, quick=20), bench_create=3)
    requests = [wire.read("get_by_uuid", rig.clusters(1, LEFT_ALONE)[0])]
    quiet = rig.load(Calls(requests, seconds=2, interval=0.1)).run()
    reader = rig.load(Calls(requests, seconds=rig.size(15, quick=3), interval=0.1))
    with Window(rig, conductor) as window:
        reader.begin()
        load.run()
        done = reader.result()
        made = rig.driver_calls("create")
    return {
        "quiet_p95_ms": milliseconds(quiet.latencies)["p95_ms"],
        **milliseconds(done.latencies),
        "errors": done.errors,
        "creates_begun": calls.begun(made, end=done.end),
        "most_at_once": calls.most_at_once(made),
        "cpu_s": window.cpu,
        "log_errors": conductor.errors(),
        **window.noise,
    }


def ready_to_create(rig: Rig, count: int, **labels: float) -> tuple[Conductor, Load]:
    """Return a conductor that is up, and a client that is ready to ask it for clusters."""
    conductor = rig.start()
    conductor.wait_ready()
    load = rig.load(Casts([_request(number, labels) for number in range(count)]))
    conductor.settle()
    return conductor, load


def _request(number: int, labels: dict[str, float]) -> wire.Request:
    cluster = objects.Cluster(
        None,
        uuid=str(uuid.uuid4()),
        name=f"new-{number}",
        project_id="bench",
        user_id="bench-user",
        cluster_template_id=TEMPLATE,
        keypair="key",
        labels={key: str(value) for key, value in labels.items()},
        flavor_id="m1.small",
        master_flavor_id="m1.small",
        create_timeout=60,
        floating_ip_enabled=True,
        master_lb_enabled=False,
    )
    return "cluster_create", {
        "cluster": MagnumObjectSerializer().serialize_entity(None, cluster),
        "master_count": 1,
        "node_count": 1,
        "create_timeout": 60,
    }
