"""Three hosts: who polls what, how often a finished operation is told, and a host's death."""

import time
from collections import Counter
from typing import Any

from benchmarks import calls, processes
from benchmarks.benchmark import benchmark, until
from benchmarks.figures import Figure, Target, at_most, exactly
from benchmarks.rig import Rig
from benchmarks.window import Window


@benchmark(
    "fleet: three hosts, 60 clusters in progress; the busiest host is killed",
    Figure("polls_10s", "polls of a cluster in 10 s", "", Target(0.9, 1.1)),
    Figure("overlapping", "clusters polled twice at once", "", exactly(0)),
    Figure("events_each", "success events of a finished operation", "", exactly(1)),
    Figure("gap_s", "longest time without a poll after the kill", "s", at_most(30)),
    Figure("cpu_s_minute", "CPU of the fleet in a minute", "s"),
)
def fleet(rig: Rig) -> dict[str, Any]:
    ending = 20
    # Those that will end take longer to poll: time for two hosts to meet at one of them.
    uuids = rig.clusters(
        60, "UPDATE_IN_PROGRESS", lambda number: {"bench_poll": "3" if number < ending else "0.05"}
    )
    # All at once, as after a deployment: their timers are in step.
    hosts = [rig.start(f"host-{number}") for number in (1, 2, 3)]
    hosts[0].wait_ready(consumers=3)
    time.sleep(12)
    begun, span = time.time(), rig.size(60, quick=20)
    with Window(rig, *hosts) as window:
        time.sleep(span)
    steady = {
        uuid: [call for call in series if begun <= call.begin < begun + span]
        for uuid, series in rig.driver_calls("poll").items()
    }
    for uuid in uuids[:ending]:
        rig.finish(uuid)
    until(lambda: rig.count("cluster", "status = 'UPDATE_COMPLETE'") == ending, 40)
    time.sleep(5)
    told = Counter(
        message["payload"]["target"]["id"]
        for message in rig.notifications()
        if message["event_type"] == "magnum.cluster.update"
        and message["payload"]["outcome"] == "success"
    )
    busy = Counter(
        call.pid
        for series in rig.driver_calls("poll").values()
        for call in series
        if call.begin > time.time() - 20
    )
    busiest = max(hosts, key=lambda host: sum(busy[pid] for pid in processes.tree(host.pid)))
    killed = time.time()
    busiest.kill()
    time.sleep(rig.size(60, quick=40))
    made = rig.driver_calls("poll")
    rest = {uuid: made[uuid] for uuid in uuids[ending:]}
    return {
        "polls_10s": calls.begun(steady) / len(uuids) / (span / 10),
        "overlapping": calls.overlapping(steady),
        "cpu_s_minute": window.cpu * 60 / span,
        "finished": len(told),
        "events_each": sum(told.values()) / ending,
        "events_most": max(told.values(), default=0),
        "gap_s": calls.longest_gap(rest, killed, time.time()),
        "log_errors": sum(host.errors() for host in hosts),
        **window.noise,
    }
