"""Status sweeps: many clusters in progress, and drivers that hang."""

import time
from typing import Any

from benchmarks import calls
from benchmarks.benchmark import benchmark, until
from benchmarks.figures import Figure, Target, at_most, exactly, times_at_most
from benchmarks.processes import Usage, sampled
from benchmarks.rig import Rig
from benchmarks.window import Window

#: Seconds that a hung poll takes.
HUNG = 120

#: Threads at the end, when polls have hung for a minute, and 20 s earlier.
FLAT = Figure("threads_growth", "growth of threads in the last 20 s", "", at_most(5))


def _hung_figures(within: float, most: int) -> tuple[Figure, ...]:
    return (
        Figure("never_polled", "clusters of working drivers never polled", "", exactly(0)),
        Figure("all_polled_s", "all of them polled once", "s", at_most(within)),
        Figure("peak_threads", "threads at most", "", Target(high=most)),
        FLAT,
        Figure("peak_descriptors", "file descriptors at most"),
        Figure("cpu_s_1000_polls", "CPU of 1,000 polls", "s"),
    )


@benchmark(
    "status: 2,000 clusters in progress, a poll takes 50 ms",
    Figure("sweep_s", "sweep", "s", at_most(12)),
    Figure("cpu_s_1000_polls", "CPU of 1,000 polls", "s", times_at_most(0.2)),
    Figure("statements_poll", "SQL statements a poll"),
    Figure("peak_threads", "threads at most"),
    Figure("overlapping", "clusters polled twice at once", "", exactly(0)),
)
def status(rig: Rig) -> dict[str, Any]:
    return _sweep(rig, rig.size(2000, quick=200), hung=0, poll=0.05, seconds=60)


@benchmark("status_hung: the same, 200 of them hang for 120 s", *_hung_figures(20, 320))
def status_hung(rig: Rig) -> dict[str, Any]:
    count = rig.size(2000, quick=200)
    return _sweep(rig, count, hung=count // 10, poll=0.05, seconds=80)


@benchmark(
    "status_large: 10,000 clusters, a poll takes 20 ms, 1,000 of them hang for 120 s",
    *_hung_figures(60, 1300),
)
def status_large(rig: Rig) -> dict[str, Any]:
    count = rig.size(10000, quick=500)
    return _sweep(rig, count, hung=count // 10, poll=0.02, seconds=100)


def _sweep(rig: Rig, count: int, hung: int, poll: float, seconds: float) -> dict[str, Any]:
    seconds = rig.size(round(seconds), quick=15)
    uuids = rig.clusters(
        count,
        "UPDATE_IN_PROGRESS",
        lambda number: {"bench_poll": str(HUNG if number < hung else poll)},
    )
    conductor = rig.start()
    with sampled(conductor.pid) as sampler:
        conductor.wait_ready()
        begun = until(rig.driver_called, 60)
        if begun is None:
            raise RuntimeError("no poll within 60 s")
        with Window(rig, conductor) as window:
            time.sleep(seconds)
            ended = time.time()
        made = rig.driver_calls("poll")
    well = {uuid: made.get(uuid, []) for uuid in uuids[hung:]}
    polls = calls.begun(made, begun, ended)
    first = [series[0].begin for series in well.values() if series]
    return {
        "sweep_s": calls.sweep(well),
        "never_polled": len(well) - len(first),
        "all_polled_s": max(first) - begun if len(first) == len(well) else None,
        "polls_s": polls / (ended - begun),
        "hung_calls": sum(len(made.get(uuid, [])) for uuid in uuids[:hung]),
        "overlapping": calls.overlapping(well),
        "most_at_once": calls.most_at_once(made),
        "peak_threads": max(sample.threads for sample in sampler.samples),
        "peak_descriptors": max(sample.descriptors for sample in sampler.samples),
        "threads_growth": _growth(sampler.between(begun, ended), ended),
        "threads_series": sampler.threads(begun),
        "cpu_s_1000_polls": 1000 * window.cpu / polls if polls else None,
        "database_cpu_s_1000_polls": 1000 * window.database_cpu / polls if polls else None,
        "statements_poll": window.statements / polls if polls else None,
        "log_errors": conductor.errors(),
        **window.noise,
    }


def _growth(samples: list[Usage], ended: float) -> int | None:
    """Return by how many threads the last 5 s have more than 5 s that were 20 s earlier."""
    last = [one.threads for one in samples if one.time > ended - 5]
    before = [one.threads for one in samples if ended - 25 < one.time < ended - 20]
    return min(last) - min(before) if last and before else None
