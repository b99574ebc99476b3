"""What the driver logged of the calls it got."""

import itertools
import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass
class Call:
    """A driver call; `end` is None while it runs, or for ever."""

    begin: float
    pid: int
    end: float | None = None


#: The calls that each cluster got, in the order they began.
Calls = Mapping[str, Sequence[Call]]


def read(log: Path, kind: str) -> dict[str, list[Call]]:
    """Return the calls of one kind that were made so far."""
    calls: dict[str, list[Call]] = defaultdict(list)
    under_way: dict[tuple[str, str, str], Call] = {}
    for line in log.read_text().splitlines():
        edge, called, when, pid, thread, cluster = line.split()
        if called != kind:
            continue
        if edge == "S":
            call = under_way[pid, thread, cluster] = Call(float(when), int(pid))
            calls[cluster].append(call)
        else:
            under_way.pop((pid, thread, cluster)).end = float(when)
    return dict(calls)


def begun(calls: Calls, begin: float = 0, end: float = float("inf")) -> int:
    """Return how many calls began in a stretch of time."""
    return sum(begin <= call.begin < end for series in calls.values() for call in series)


def most_at_once(calls: Calls) -> int:
    """Return how many calls were under way at the same time."""
    edges = [
        edge
        for series in calls.values()
        for call in series
        for edge in ((call.begin, 1), (call.end or float("inf"), -1))
    ]
    now = most = 0
    for _, step in sorted(edges):
        now += step
        most = max(most, now)
    return most


def overlapping(calls: Calls) -> int:
    """Return how many clusters got a call while another one was under way."""
    return sum(
        any(one.end is None or two.begin < one.end for one, two in itertools.pairwise(series))
        for series in calls.values()
    )


def sweep(calls: Calls) -> float | None:
    """Return the median seconds from the first to the last call of a round; None: no round.

    Round k is every cluster's k-th call, so it does not matter whether a conductor sweeps or
    spreads its calls.
    """
    rounds = min(map(len, calls.values()), default=0)
    spans = []
    for number in range(rounds):
        told = [series[number] for series in calls.values()]
        spans.append(max(one.end or one.begin for one in told) - min(one.begin for one in told))
    return statistics.median(spans) if spans else None


def longest_gap(calls: Calls, begin: float, end: float) -> float:
    """Return the longest time that a cluster had no call, of those that include or follow `begin`.

    The last call before `begin` opens the first gap; `end` closes the last.
    """
    worst = 0.0
    for series in calls.values():
        times = [call.begin for call in series if call.begin < end]
        before = max((moment for moment in times if moment <= begin), default=begin)
        edges = [before, *(moment for moment in times if moment > begin), end]
        worst = max(worst, *(two - one for one, two in itertools.pairwise(edges)))
    return worst
