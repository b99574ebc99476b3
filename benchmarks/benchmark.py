"""What a benchmark is, and the list of all."""

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.figures import Figure
from benchmarks.rig import Rig

#: Measures the conductor that the rig was made fresh for.
Run = Callable[[Rig], dict[str, Any]]


@dataclass(frozen=True)
class Benchmark:
    """A measurement with the figures that matter of it."""

    name: str
    title: str
    figures: tuple[Figure, ...]
    run: Run


ALL: dict[str, Benchmark] = {}


def benchmark(title: str, *figures: Figure) -> Callable[[Run], Run]:
    """Enlist a function under its own name."""

    def enlist(run: Run) -> Run:
        name = run.__name__  # type: ignore[attr-defined]
        ALL[name] = Benchmark(name, title, figures, run)
        return run

    return enlist


def until(condition: Callable[[], bool], timeout: float, step: float = 0.1) -> float | None:
    """Wait for a condition; return when (time.time()) it was seen to hold, None if it was not."""
    end = time.time() + timeout
    while not condition():
        if time.time() > end:
            return None
        time.sleep(step)
    return time.time()


def milliseconds(latencies: Sequence[float]) -> dict[str, float]:
    """Return the median and the 95th percentile of latencies in seconds, as milliseconds."""
    cuts = statistics.quantiles(latencies, n=20, method="inclusive")
    return {
        "p50_ms": 1000 * statistics.median(latencies),
        "p95_ms": 1000 * cuts[-1],
        "max_ms": 1000 * max(latencies),
    }
