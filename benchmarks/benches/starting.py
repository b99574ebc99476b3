"""From nothing to the first reply, and what a conductor takes at rest."""

import time
from typing import Any

from benchmarks import processes
from benchmarks.benchmark import benchmark
from benchmarks.figures import Figure, at_most, times_at_most
from benchmarks.rig import Rig
from benchmarks.window import Window


@benchmark(
    "start, rest, stop: 2 workers, no clusters",
    Figure("ready_s", "start to first ping reply", "s", times_at_most(1)),
    Figure("ready_cpu_s", "its CPU", "s"),
    Figure("pss_mib", "memory (PSS) of the tree at rest", "MiB", times_at_most(1.25)),
    Figure("consumers", "consumers of the queue"),
    Figure("threads", "threads"),
    Figure("idle_cpu_pct", "CPU at rest", "%"),
    Figure("term_s", "TERM to exit, idle", "s", at_most(3)),
)
def start(rig: Rig) -> dict[str, Any]:
    conductor = rig.start()
    with Window(rig, conductor) as window:
        ready = conductor.wait_ready()
    cpu = processes.usage(conductor.pid).cpu
    time.sleep(4)
    rest = processes.usage(conductor.pid)
    memory = processes.memory(conductor.pid)
    time.sleep(5)
    idle = processes.usage(conductor.pid)
    with conductor.client() as client:
        consumers = client.consumers()
    term, status = conductor.term(10)
    return {
        "ready_s": ready,
        "ready_cpu_s": cpu,
        **memory,
        "processes": rest.processes,
        "threads": rest.threads,
        "descriptors": rest.descriptors,
        "consumers": consumers,
        "idle_cpu_pct": 100 * (idle.cpu - rest.cpu) / (idle.time - rest.time),
        "term_s": term,
        "exit": status,
        "log_errors": conductor.errors(),
        **window.noise,
    }
