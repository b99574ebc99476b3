"""KeyedQueue: runs one job a key on bounded threads, as its schedule says."""

from __future__ import annotations

import contextlib
import logging
import queue
import threading
import time
from collections.abc import Callable, Collection, Iterator
from typing import Any, NamedTuple, TypeAlias

from magnumlite.periodic.schedule import Job, Limits, Schedule

LOG = logging.getLogger(__name__)


#: Where a thread is given its next job; None ends it.
_Inbox: TypeAlias = "queue.SimpleQueue[Job | None]"


class _Start(NamedTuple):
    """A job and the inbox of the thread that is to run it; the thread, if it is a new one."""

    job: Job
    inbox: _Inbox
    thread: threading.Thread | None = None


class RetryLater(Exception):
    """Raised by a job that failed and has said so itself: back off, log nothing."""


class KeyedQueue:
    """Runs `work(key)` for every key that is added; see `schedule` for what runs when.

    Threads are made when jobs need them. As many as there are quick slots are kept for reuse
    (drivers keep their clients per thread); others end with their job. All are daemons: a job
    that hangs cannot keep the process from ending.
    """

    def __init__(
        self,
        name: str,
        work: Callable[[str], None],
        *,
        quick_slots: int,
        slow_lane: int,
        slow_after: float,
        backoff_min: float,
        backoff_max: float,
        overflow: int = 0,
        hung_after: float = 10.0,
        slow_log_after: float = 60.0,
        group_of: Callable[[str], str | None] = lambda key: None,
    ) -> None:
        """Make a queue; it does nothing before `start`.

        name: for thread names and logs.
        work: may raise anything; what it raises makes its key back off.
        group_of: names a key's group (a cluster's driver), None for none. It runs under the
            queue's lock: a dictionary look-up, no more.
        slow_log_after: seconds after which a running job is logged, again at each doubling.
        Others: see `schedule.Limits`.
        """
        self.name = name
        self._work = work
        self._slow_log_after = slow_log_after
        self._schedule = Schedule(
            Limits(
                quick_slots=quick_slots,
                slow_lane=slow_lane,
                slow_after=slow_after,
                backoff_min=backoff_min,
                backoff_max=backoff_max,
                overflow=overflow,
                hung_after=hung_after,
            ),
            group_of,
        )
        self._changed = threading.Condition()
        self._idle: list[_Inbox] = []
        self._threads: set[threading.Thread] = set()
        self._clock: threading.Thread | None = None
        self._current = threading.local()
        self._stopping = False
        self._told: dict[Job, float] = {}
        self._held_back: set[str] = set()

    def start(self) -> None:
        """Start to run jobs."""
        self._clock = threading.Thread(target=self._tick, name=f"{self.name}-clock", daemon=True)
        self._clock.start()

    def add(self, key: str, after: float = 0.0) -> bool:
        """Ask for one run of `key`, `after` seconds at the earliest.

        Returns: False if it waits or runs already (then nothing changes), or after `stop`.
        """
        with self._changed:
            if self._stopping:
                return False
            added = self._schedule.add(key, time.monotonic(), after)
            self._changed.notify_all()
            starts = self._assign()
        self._deliver(starts)
        return added

    def add_all(self, keys: Collection[str], spread: float = 0.0) -> None:
        """Ask for one run of each of a sweep's `keys`, over the next `spread` seconds.

        The order has nothing to do with the keys' names: neighbours that hang together shall not
        stand in front together.  It is the same each time, so that a key's runs are a cycle apart.
        What was remembered of keys that the sweep does not name is forgotten.
        """
        shuffled = sorted(keys, key=hash)
        with self._changed:
            if self._stopping:
                return
            now = time.monotonic()
            self._schedule.new_cycle(keys)
            for place, key in enumerate(shuffled):
                self._schedule.add(key, now, spread * place / len(shuffled))
            self._changed.notify_all()
            starts = self._assign()
        self._deliver(starts)

    @contextlib.contextmanager
    def own_work(self) -> Iterator[None]:
        """Mark what a job does by itself: it does not count as slow, and keeps its slot.

        For use in `work`. A job that is slow because the database or this machine is shall not
        make room for more jobs, which would make it slower still.
        """
        job = self._current.job
        with self._changed:
            self._schedule.own_work(job, time.monotonic())
        try:
            yield
        finally:
            with self._changed:
                self._schedule.waits(job, time.monotonic())

    def stop(self) -> None:
        """Start nothing more; forget what waits. Jobs under way go on."""
        with self._changed:
            self._stopping = True
            self._schedule.clear()
            idle, self._idle = self._idle, []
            self._changed.notify_all()
        for inbox in idle:
            inbox.put(None)

    def wait(self, timeout: float) -> list[str]:
        """Wait after `stop` until no job runs, at most `timeout` seconds.

        Jobs left behind end with the process.

        Returns: the keys whose jobs still run; they are logged.
        """
        ends = time.monotonic() + timeout
        with self._changed:
            self._changed.wait_for(lambda: not self._schedule.running, timeout)
            left = list(self._schedule.running)
            threads = list(self._threads)
        if left:
            LOG.warning("%s: left %d jobs behind: %s", self.name, len(left), ", ".join(left))
            return left
        for thread in [*threads, *filter(None, [self._clock])]:
            thread.join(max(0.0, ends - time.monotonic()))
        return []

    def counters(self) -> dict[str, int]:
        """Return totals since the start and, as `now_*`, what is going on."""
        with self._changed:
            return {
                **self._schedule.counts,
                "now_waiting": self._schedule.waiting(),
                "now_quick": self._schedule.quick,
                "now_slow": self._schedule.slow,
                "now_threads": len(self._threads),
                "now_groups_held_back": len(self._schedule.held_back()),
            }

    def running(self) -> dict[str, float]:
        """Return the keys whose jobs run, each with the seconds it has run."""
        now = time.monotonic()
        with self._changed:
            return {key: now - job.started for key, job in self._schedule.running.items()}

    def _assign(self) -> list[_Start]:
        """Find a thread for every job that may run. Holds the lock; `_deliver` must not.

        A thread that starts may take the processor for a while; nobody shall wait for the lock
        meanwhile.
        """
        starts = []
        while job := self._schedule.take(time.monotonic()):
            if self._idle:
                starts.append(_Start(job, self._idle.pop()))
                continue
            inbox: _Inbox = queue.SimpleQueue()
            thread = threading.Thread(
                target=self._serve, args=(inbox,), name=f"{self.name}-worker", daemon=True
            )
            self._threads.add(thread)
            starts.append(_Start(job, inbox, thread))
        return starts

    def _deliver(self, starts: list[_Start]) -> None:
        refused = []
        for start in starts:
            start.inbox.put(start.job)
            if start.thread is None:
                continue
            try:
                start.thread.start()
            except RuntimeError as error:
                refused.append(start.job.key)
                reason = error
                with self._changed:
                    self._threads.discard(start.thread)
                    self._schedule.done(start.job, time.monotonic(), failed=True)
        if refused:
            LOG.error("%s: no thread for %s: %s", self.name, ", ".join(refused), reason)

    def _serve(self, inbox: _Inbox) -> None:
        while job := inbox.get():
            self._current.job = job
            failed = self._run(job)
            with self._changed:
                backoff = self._schedule.done(job, time.monotonic(), failed=failed is not None)
                failures = self._schedule.failures(job.key)
                if self._stopping or len(self._idle) >= self._schedule.limits.quick_slots:
                    inbox.put(None)
                else:
                    self._idle.append(inbox)
                starts = self._assign()
                if not self._schedule.running:
                    self._changed.notify_all()
            self._deliver(starts)
            if failed is not None and not isinstance(failed, RetryLater):
                self._log_failure(job, failed, failures, backoff)
            del failed  # its traceback holds on to the driver
        with self._changed:
            self._threads.discard(threading.current_thread())

    def _run(self, job: Job) -> BaseException | None:
        try:
            self._work(job.key)
        except BaseException as error:
            # Also SystemExit, which some driver raises: it must not end the thread.
            return error
        return None

    def _log_failure(self, job: Job, error: BaseException, failures: int, backoff: float) -> None:
        LOG.warning(
            "%s: %s failed (%d in a row), again in %.0f s: %s: %s",
            self.name,
            job.key,
            failures,
            backoff,
            type(error).__name__,
            error,
            exc_info=error if failures == 1 else None,
        )

    def _tick(self) -> None:
        """Do what time demands until the queue stops: the clock thread."""
        while True:
            with self._changed:
                if self._stopping:
                    return
                now = time.monotonic()
                demand = self._schedule.tick(now)
                starts = self._assign()
                news = self._news(now)
                if not starts and not news:
                    self._changed.wait(self._until(demand, now))
            self._deliver(starts)
            for text, *arguments in news:
                LOG.warning(text, self.name, *arguments)

    def _until(self, demand: float | None, now: float) -> float | None:
        """Return how long the clock may sleep: whatever starts meanwhile gets its due."""
        if self._schedule.running:
            slow_after = self._schedule.limits.slow_after
            return slow_after if demand is None else min(demand - now, slow_after)
        return None if demand is None else demand - now

    def _news(self, now: float) -> list[tuple[Any, ...]]:
        """Return log lines on what runs long and on groups that were held back or let go."""
        news: list[tuple[Any, ...]] = []
        for job in self._schedule.running.values():
            ran = now - job.started
            if ran >= self._told.get(job, self._slow_log_after):
                news.append(("%s: %s has been running for %.0f s", job.key, ran))
                self._told[job] = 2 * ran
        if len(self._told) > len(self._schedule.running):
            runs = set(self._schedule.running.values())
            self._told = {job: ran for job, ran in self._told.items() if job in runs}
        held_back = set(self._schedule.held_back())
        for group in held_back - self._held_back:
            news.append(("%s: most jobs of %r hang; it gets one a cycle until one returns", group))
        for group in self._held_back - held_back:
            news.append(("%s: jobs of %r return again", group))
        self._held_back = held_back
        return news
