"""Schedule: which key runs next, and in which lane.  No threads, no clock: `now` is given.

At most one job a key is under way and repeats collapse.  Two lanes have room for jobs:

* **quick**: `quick_slots`.  A job that has waited for `slow_after` (for a driver; what it does by
  itself does not count) leaves its slot, so that what hangs costs a slot for that long only.
* **slow**: jobs that left their slot, and keys that were slow last time, which start here.
  Those known to be slow wait while it holds `slow_lane` jobs that return, and start `quick_slots`
  at a time: as many may be in it that have not yet waited for `slow_after`.  Jobs that hang, and
  those found slow only now, may fill it up to `slow_lane + overflow`: nobody could know that they
  hang, and left in the quick slots, or counted with those that are only slow, they would hold up
  everything else.  Full to that brim, they do.

A slow database or a busy machine thus makes jobs slow, but not many.
So at most `quick_slots + slow_lane + overflow` jobs run, whatever hangs.

While the slow lane is full, a group (clusters of one driver) most of whose jobs hang is held back
by its breaker.  After an error a key waits, longer each time and with jitter; a success forgets.
"""

from __future__ import annotations

import collections
import dataclasses
import heapq
import itertools
import random
from collections.abc import Callable, Collection

from magnumlite.periodic.breaker import Breaker


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What a schedule allows.  Seconds where nothing else is said.

    overflow: jobs beyond slow_lane, for what hangs and what is found slow while it runs.
    hung_after: how long a job runs until it counts as hung.
    """

    quick_slots: int
    slow_lane: int
    slow_after: float
    backoff_min: float
    backoff_max: float
    overflow: int = 0
    hung_after: float = 10.0


@dataclasses.dataclass(slots=True, eq=False)
class Job:
    """One run of one key.

    waits_since: since when it waits for others; None while it does work of its own.
    settled: it has waited for `slow_after` in the slow lane.
    """

    key: str
    group: str | None
    started: float
    in_slow_lane: bool
    waits_since: float | None
    slow: bool = False
    settled: bool = False
    hung: bool = False


@dataclasses.dataclass(slots=True)
class _History:
    slow: bool = False
    failures: int = 0
    not_before: float = 0.0


class Schedule:
    """Keys that wait and jobs that run.  Not safe for threads: the queue holds a lock."""

    def __init__(
        self,
        limits: Limits,
        group_of: Callable[[str], str | None],
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`group_of` names a key's group, None for none; `jitter` returns a number in [0, 1)."""
        self.limits = limits
        self.counts: collections.Counter[str] = collections.Counter()
        self.running: dict[str, Job] = {}
        self.quick = 0
        self.slow = 0
        #: Jobs in the slow lane that have not waited for long, or not yet; and those that hang.
        self._unsettled = 0
        self._hung = 0
        self._group_of = group_of
        self._jitter = jitter
        self._waiting: set[str] = set()
        self._later: list[tuple[float, int, str]] = []
        self._order = itertools.count()
        self._ready: collections.deque[str] = collections.deque()
        self._ready_slow: collections.deque[str] = collections.deque()
        self._history: dict[str, _History] = {}
        self._breakers: dict[str, Breaker] = {}

    def add(self, key: str, now: float, after: float = 0.0) -> bool:
        """Make `key` wait, `after` seconds at least; False if it waits or runs already.

        An add during the run is not kept for later: the next sweep asks again, and a job that
        hangs is not begun anew the moment it returns.
        """
        if key in self._waiting or key in self.running:
            self.counts["collapsed"] += 1
            return False
        history = self._history.get(key)
        due = max(now + after, history.not_before if history else 0.0)
        self._waiting.add(key)
        if due <= now:
            self._make_ready(key)
        else:
            heapq.heappush(self._later, (due, next(self._order), key))
        return True

    def new_cycle(self, named: Collection[str]) -> None:
        """Begin a cycle in which `named` are all the keys there are: forget what others did."""
        for breaker in self._breakers.values():
            breaker.new_cycle()
        for key in self._history.keys() - set(named) - self.running.keys() - self._waiting:
            del self._history[key]

    def take(self, now: float) -> Job | None:
        """Begin the next job that may run, or return None."""
        while self._ready and self.quick < self.limits.quick_slots:
            job = self._begin(self._ready.popleft(), now, in_slow_lane=False)
            if job:
                return job
        while (
            self._ready_slow
            and self.slow - self._hung < self.limits.slow_lane
            and self.slow < self.limits.slow_lane + self.limits.overflow
            and self._unsettled < self.limits.quick_slots
        ):
            job = self._begin(self._ready_slow.popleft(), now, in_slow_lane=True)
            if job:
                return job
        return None

    def done(self, job: Job, now: float, *, failed: bool) -> float:
        """End a job; return for how many seconds its key now backs off (0: not at all)."""
        del self.running[job.key]
        self.own_work(job, now)
        if job.in_slow_lane:
            self.slow -= 1
            self._unsettled -= not job.settled
            self._hung -= job.hung
        else:
            self.quick -= 1
        if not job.hung and job.group is not None:
            self._breaker(job.group).returned(job.started)
        self.counts["failed" if failed else "succeeded"] += 1
        history = self._history.pop(job.key, None) or _History()
        history.slow = job.slow
        history.failures = history.failures + 1 if failed else 0
        backoff = self._backoff(history.failures)
        history.not_before = now + backoff
        if history.slow or history.failures:
            self._history[job.key] = history
        return backoff

    def tick(self, now: float) -> float | None:
        """Do what time demands; return the moment of the next demand, None when there is none."""
        while self._later and self._later[0][0] <= now:
            self._make_ready(heapq.heappop(self._later)[2])
        demands = [self._later[0][0]] if self._later else []
        for job in self.running.values():
            if job.waits_since is not None and not job.settled:
                overdue = job.waits_since + self.limits.slow_after
                demands.append(overdue if overdue > now else self._settle(job, now))
            if not job.hung:
                if job.started + self.limits.hung_after > now:
                    demands.append(job.started + self.limits.hung_after)
                else:
                    self._judge_hung(job)
        return min((moment for moment in demands if moment > now), default=None)

    def own_work(self, job: Job, now: float) -> None:
        """Note that `job` has stopped to wait for others; until `waits`."""
        if job.waits_since is not None and now - job.waits_since > self.limits.slow_after:
            job.slow = True
        job.waits_since = None

    def waits(self, job: Job, now: float) -> None:
        """Note that `job` waits for others from now on, as it does when it begins."""
        job.waits_since = now

    def failures(self, key: str) -> int:
        """Return how many runs of `key` in a row have failed."""
        history = self._history.get(key)
        return history.failures if history else 0

    def held_back(self) -> list[str]:
        """Return the groups that only get a probe a cycle."""
        return [group for group, breaker in self._breakers.items() if breaker.is_open]

    def waiting(self) -> int:
        """Return how many keys wait, due or not."""
        return len(self._waiting)

    def clear(self) -> None:
        """Forget every key that waits."""
        self._waiting.clear()
        self._later.clear()
        self._ready.clear()
        self._ready_slow.clear()

    def _make_ready(self, key: str) -> None:
        history = self._history.get(key)
        (self._ready_slow if history and history.slow else self._ready).append(key)

    def _begin(self, key: str, now: float, *, in_slow_lane: bool) -> Job | None:
        self._waiting.remove(key)
        group = self._group_of(key)
        if group is not None and not self._breaker(group).admits():
            self.counts["held_back"] += 1
            return None
        job = Job(key, group, now, in_slow_lane, waits_since=now)
        self.running[key] = job
        if in_slow_lane:
            self.slow += 1
            self._unsettled += 1
        else:
            self.quick += 1
        self.counts["started"] += 1
        return job

    def _settle(self, job: Job, now: float) -> float:
        """Let a job that has waited too long stay in the slow lane; return the next demand."""
        if job.in_slow_lane:
            self._unsettled -= 1
        elif self.slow < self.limits.slow_lane + self.limits.overflow:
            job.in_slow_lane = True
            self.quick -= 1
            self.slow += 1
            self._hung += job.hung
            self.counts["left_slot"] += 1
        else:
            return now + self.limits.slow_after
        job.settled = True
        return now

    def _judge_hung(self, job: Job) -> None:
        job.hung = True
        self._hung += job.in_slow_lane
        if job.group is None:
            return
        breaker = self._breaker(job.group)
        if breaker.hung(job.started) and self.slow >= self.limits.slow_lane:
            breaker.is_open = True

    def _breaker(self, group: str) -> Breaker:
        return self._breakers.setdefault(group, Breaker(self.limits.hung_after))

    def _backoff(self, failures: int) -> float:
        if not failures:
            return 0.0
        # 2 ** 30 is beyond every limit; a larger exponent only makes large numbers.
        base = self.limits.backoff_min * 2.0 ** min(failures - 1, 30)
        return min(base, self.limits.backoff_max) * (1.0 + self._jitter() / 4)
