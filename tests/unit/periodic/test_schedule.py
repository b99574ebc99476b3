"""The schedule is played with a clock of its own, so that no time can be missed."""

import heapq
import itertools

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from magnumlite.periodic.schedule import Limits, Schedule


def make(group_of=lambda key: "", **limits):
    given = {
        "quick_slots": 2,
        "slow_lane": 3,
        "slow_after": 0.5,
        "backoff_min": 10,
        "backoff_max": 300,
        **limits,
    }
    return Schedule(Limits(**given), group_of, jitter=lambda: 0.0)


def take_all(schedule, now):
    return list(iter(lambda: schedule.take(now), None))


def make_slow(schedule, *keys):
    """Run each key once, too long; at time 0 to 1."""
    for key in keys:
        schedule.add(key, 0)
        job = schedule.take(0)
        schedule.done(job, 1, failed=False)


class TestOneJobAKey:
    def test_repeats_collapse_while_waiting_and_while_running(self):
        schedule = make()
        assert schedule.add("a", 0)
        assert not schedule.add("a", 0)
        job = schedule.take(0)
        assert not schedule.add("a", 0)
        assert schedule.take(0) is None
        schedule.done(job, 0.1, failed=False)
        assert schedule.take(0.1) is None
        assert schedule.add("a", 0.1)
        assert schedule.counts["collapsed"] == 2

    def test_a_key_that_waits_for_its_time_collapses_too(self):
        schedule = make()
        schedule.add("a", 0, after=5)
        assert not schedule.add("a", 1)
        assert schedule.tick(4.9) == 5
        assert schedule.take(4.9) is None
        schedule.tick(5)
        assert schedule.take(5).key == "a"


class TestLanes:
    def test_no_more_than_the_quick_slots_run(self):
        schedule = make()
        for key in "abc":
            schedule.add(key, 0)
        assert [job.key for job in take_all(schedule, 0)] == ["a", "b"]

    def test_a_slow_job_leaves_its_slot(self):
        schedule = make()
        for key in "abc":
            schedule.add(key, 0)
        take_all(schedule, 0)
        assert schedule.tick(0.4) == 0.5
        assert not take_all(schedule, 0.4)
        schedule.tick(0.5)
        assert [job.key for job in take_all(schedule, 0.5)] == ["c"]
        assert (schedule.quick, schedule.slow) == (1, 2)

    def test_a_key_that_was_slow_starts_in_the_slow_lane(self):
        schedule = make(quick_slots=1)
        make_slow(schedule, "slow")
        schedule.add("slow", 2)
        schedule.add("quick", 2)
        assert {job.key: job.in_slow_lane for job in take_all(schedule, 2)} == {
            "slow": True,
            "quick": False,
        }

    def test_a_key_that_was_quick_again_starts_in_a_quick_slot(self):
        schedule = make()
        make_slow(schedule, "a")
        for in_slow_lane in (True, False):
            schedule.add("a", 2)
            job = schedule.take(2)
            assert job.in_slow_lane is in_slow_lane
            schedule.done(job, 2.1, failed=False)

    def test_known_slow_keys_wait_for_the_slow_lane_and_hold_up_nobody(self):
        schedule = make(slow_lane=1)
        make_slow(schedule, "a", "b")
        for key in ("a", "b", "quick"):
            schedule.add(key, 2)
        jobs = take_all(schedule, 2)
        assert [job.key for job in jobs] == ["quick", "a"]
        schedule.done(jobs[1], 60, failed=False)
        assert [job.key for job in take_all(schedule, 60)] == ["b"]

    def test_overflow_is_for_jobs_found_slow_while_running(self):
        schedule = make(slow_lane=1, overflow=1)
        make_slow(schedule, "known")
        for key in ("a", "b", "c", "d"):
            schedule.add(key, 2)
        take_all(schedule, 2)
        schedule.tick(2.5)
        assert (schedule.quick, schedule.slow) == (0, 2)
        schedule.add("known", 2.5)
        assert [job.key for job in take_all(schedule, 2.5)] == ["c", "d"]
        schedule.tick(3)
        assert (schedule.quick, schedule.slow) == (2, 2)

    def test_what_hangs_does_not_hold_up_what_is_only_slow(self):
        schedule = make(slow_lane=2, overflow=4)
        for number in range(3):
            schedule.add(f"hangs-{number}", 0)
        for now in (0, 0.5, 1, 1.5):
            take_all(schedule, now)
            schedule.tick(now)
        assert schedule.slow == 3
        make_slow(schedule, *"abcd")
        for key in "abcd":
            schedule.add(key, 2)
        assert not take_all(schedule, 2), "nobody knows yet that they hang"
        schedule.tick(11)
        assert [job.key for job in take_all(schedule, 11)] == ["a", "b"]
        schedule.tick(11.5)
        assert not take_all(schedule, 11.5), "there is no room for more that are slow"
        assert schedule.slow == 5
        for job in list(schedule.running.values()):
            schedule.done(job, 12, failed=False)
        assert [job.key for job in take_all(schedule, 12)] == ["c", "d"]

    def test_known_slow_keys_start_a_few_at_a_time(self):
        schedule = make(slow_lane=10)
        make_slow(schedule, *"abcd")
        for key in "abcd":
            schedule.add(key, 2)
        jobs = take_all(schedule, 2)
        assert [job.key for job in jobs] == ["a", "b"]
        schedule.done(jobs[0], 2.1, failed=False)
        assert [job.key for job in take_all(schedule, 2.1)] == ["c"]
        schedule.tick(2.5)
        assert [job.key for job in take_all(schedule, 2.5)] == ["d"]

    def test_own_work_keeps_the_slot_and_is_not_slow(self):
        schedule = make(quick_slots=1)
        schedule.add("a", 0)
        schedule.add("b", 0)
        job = schedule.take(0)
        schedule.own_work(job, 0.1)
        assert schedule.tick(5) == 10
        assert not job.in_slow_lane
        schedule.waits(job, 5)
        assert schedule.tick(5.4) == 5.5
        schedule.done(job, 5.4, failed=False)
        schedule.add("a", 6)
        assert [each.in_slow_lane for each in take_all(schedule, 6)] == [False]

    def test_waiting_long_before_own_work_is_slow(self):
        schedule = make()
        schedule.add("a", 0)
        job = schedule.take(0)
        schedule.own_work(job, 1)
        schedule.waits(job, 2)
        schedule.done(job, 2, failed=False)
        schedule.add("a", 3)
        assert schedule.take(3).in_slow_lane

    def test_in_the_slow_lane_own_work_holds_up_the_start_of_others(self):
        schedule = make(quick_slots=1)
        make_slow(schedule, "a", "b")
        schedule.add("a", 2)
        schedule.add("b", 2)
        job = schedule.take(2)
        schedule.own_work(job, 2)
        schedule.tick(9)
        assert schedule.take(9) is None
        schedule.waits(job, 9)
        schedule.tick(9.5)
        assert schedule.take(9.5).key == "b"

    def test_full_to_the_brim_a_slow_job_keeps_its_slot_until_there_is_room(self):
        schedule = make(quick_slots=1, slow_lane=1)
        for key in "abc":
            schedule.add(key, 0)
        first = schedule.take(0)
        schedule.tick(1)
        schedule.take(1)
        assert schedule.tick(2) == 2.5
        assert schedule.take(2) is None
        schedule.done(first, 2.1, failed=False)
        schedule.tick(2.5)
        assert schedule.take(2.5).key == "c"


class TestBackOff:
    def fail(self, schedule, now):
        schedule.add("a", now)
        schedule.tick(now)
        return schedule.done(schedule.take(now), now, failed=True)

    def test_it_doubles_up_to_the_limit(self):
        schedule = make()
        now = 0.0
        waits = []
        for _ in range(7):
            waits.append(self.fail(schedule, now))
            now += waits[-1]
        assert waits == [10, 20, 40, 80, 160, 300, 300]
        assert schedule.failures("a") == 7

    def test_a_key_runs_when_its_time_has_come(self):
        schedule = make()
        self.fail(schedule, 0)
        schedule.add("a", 1)
        assert schedule.tick(1) == 10
        assert schedule.take(9.9) is None
        assert schedule.tick(10) is None
        assert schedule.take(10).key == "a"

    def test_success_forgets(self):
        schedule = make()
        self.fail(schedule, 0)
        schedule.add("a", 10)
        schedule.done(schedule.take(10), 10, failed=False)
        assert schedule.failures("a") == 0
        assert self.fail(schedule, 11) == 10

    def test_jitter_only_adds(self):
        schedule = Schedule(make().limits, lambda key: "", jitter=lambda: 0.999)
        assert 10 < self.fail(schedule, 0) < 12.5

    def test_a_thousand_failures_are_no_overflow(self):
        schedule = make()
        now = 0.0
        for _ in range(1100):
            now += self.fail(schedule, now)
        assert self.fail(schedule, now) == 300


class TestMemory:
    def test_what_a_cycle_does_not_name_is_forgotten(self):
        schedule = make()
        make_slow(schedule, "kept", "gone")
        schedule.new_cycle(["kept"])
        schedule.add("kept", 2)
        schedule.add("gone", 2)
        assert {job.key: job.in_slow_lane for job in take_all(schedule, 2)} == {
            "kept": True,
            "gone": False,
        }

    def test_clear_forgets_what_waits(self):
        schedule = make()
        make_slow(schedule, "slow")
        schedule.add("later", 2, after=5)
        schedule.add("slow", 2)
        schedule.add("a", 2)
        schedule.clear()
        assert schedule.waiting() == 0
        assert schedule.tick(100) is None
        assert not take_all(schedule, 100)


class TestGroupThatHangs:
    """Keys "bad..." hang for ever; the others return at once."""

    def play(self, schedule, keys, until):
        """Run keys from 0 to `until`, a tick each 0.25 s, a cycle each 10 s."""
        done = set()
        for step in range(int(until * 4)):
            now = step / 4
            if step % 40 == 0:
                schedule.new_cycle(keys)
                for key in keys:
                    schedule.add(key, now)
            schedule.tick(now)
            while job := schedule.take(now):
                if not job.key.startswith("bad"):
                    schedule.done(job, now, failed=False)
                    done.add(job.key)
        return done

    def limits(self):
        return {"quick_slots": 4, "slow_lane": 20, "overflow": 400}

    def test_it_gets_a_probe_a_cycle(self):
        schedule = make(group_of=lambda key: key[:3], **self.limits())
        keys = [f"bad{n}" for n in range(1000)]
        self.play(schedule, keys, 20)
        assert schedule.held_back() == ["bad"]
        before = set(schedule.running)
        for cycle in range(3):
            now = 30 + 10 * cycle
            schedule.new_cycle(keys)
            for key in keys:
                schedule.add(key, now)
            schedule.tick(now)
            take_all(schedule, now)
        assert len(schedule.running.keys() - before) == 3

    def test_one_that_returns_ends_it(self):
        schedule = make(group_of=lambda key: key[:3], **self.limits())
        self.play(schedule, [f"bad{n}" for n in range(1000)], 20)
        schedule.new_cycle([])
        schedule.clear()
        schedule.add("bad-but-well", 20)
        job = schedule.take(20)
        schedule.done(job, 21, failed=False)
        assert schedule.held_back() == []

    def test_the_others_go_on(self):
        schedule = make(group_of=lambda key: key[:3], **self.limits())
        keys = [f"bad{n}" for n in range(1000)] + [f"good{n}" for n in range(1000)]
        done = self.play(schedule, keys, 20)
        assert len(done) == 1000
        assert len(schedule.running) <= 424

    def test_a_tenth_of_a_group_does_not_hold_it_back(self):
        schedule = make(**self.limits())
        keys = [f"bad{n}" if n % 10 == 0 else f"good{n}" for n in range(1000)]
        done = self.play(schedule, keys, 60)
        assert len(done) == 900
        assert schedule.held_back() == []

    def test_keys_without_a_group_are_never_held_back(self):
        schedule = make(group_of=lambda key: None, **self.limits())
        self.play(schedule, [f"bad{n}" for n in range(1000)], 60)
        assert schedule.held_back() == []
        assert len(schedule.running) == 424

    def test_with_room_in_the_slow_lane_nothing_is_held_back(self):
        schedule = make(group_of=lambda key: key[:3], quick_slots=4, slow_lane=20)
        self.play(schedule, [f"bad{n}" for n in range(19)], 60)
        assert len(schedule.running) == 19
        assert schedule.held_back() == []


@pytest.mark.parametrize(
    ("good", "bad", "seconds", "limit"),
    [(1800, 200, 0.05, 20), (9000, 1000, 0.02, 60)],  # B11, B31; figures of DESIGN section 5
)
def test_hung_clusters_do_not_starve_the_others(good, bad, seconds, limit):
    """Simulated time: when is the last good key done, and how many jobs run at most?"""
    schedule = make(quick_slots=16, slow_lane=240, overflow=1000)
    names = [f"bad{n}" if n % 10 == 0 else f"good{n}" for n in range(good + bad)]
    for name in names:
        schedule.add(name, 0)
    order = itertools.count()
    ends, now, done, most = [], 0.0, 0, 0
    while done < good:
        demand = schedule.tick(now)
        jobs = take_all(schedule, now)
        most = max(most, len(schedule.running))
        for job in jobs:
            if job.key.startswith("good"):
                heapq.heappush(ends, (now + seconds, next(order), job))
        if jobs:
            continue
        now = min([ends[0][0], demand] if ends else [demand])
        while ends and ends[0][0] <= now:
            schedule.done(heapq.heappop(ends)[2], now, failed=False)
            done += 1
    assert now < limit
    assert most <= 16 + bad


KEYS = st.sampled_from([f"{group}{n}" for group in "xy" for n in range(12)])


class AnySchedule(RuleBasedStateMachine):
    """Whatever happens in whatever order, the promises hold."""

    def __init__(self):
        super().__init__()
        self.now = 0.0
        self.schedule = make(
            group_of=lambda key: key[0], slow_lane=3, overflow=2, slow_after=1, hung_after=4
        )
        self.given: set[str] = set()
        self.failed_at: dict[str, float] = {}

    @rule(key=KEYS, after=st.sampled_from([0, 0, 3]))
    def add(self, key, after):
        expected = key not in self.given and key not in self.schedule.running
        assert self.schedule.add(key, self.now, after) is expected
        self.given.add(key)
        self.given -= self.schedule.running.keys()

    @rule()
    def take(self):
        running = set(self.schedule.running)
        job = self.schedule.take(self.now)
        if job:
            assert job.key not in running
            assert job.key in self.given
            assert self.now >= self.failed_at.get(job.key, 0)
        if not self.schedule.held_back():
            self.given -= self.schedule.running.keys()
        else:  # a group that is held back may have lost keys
            self.given = set(self.schedule._waiting)

    @rule(data=st.data(), failed=st.booleans())
    def done(self, data, failed):
        if not self.schedule.running:
            return
        job = data.draw(st.sampled_from(list(self.schedule.running.values())))
        backoff = self.schedule.done(job, self.now, failed=failed)
        assert bool(backoff) is failed
        self.failed_at[job.key] = self.now + backoff

    @rule(data=st.data(), own=st.booleans())
    def work(self, data, own):
        if self.schedule.running:
            job = data.draw(st.sampled_from(list(self.schedule.running.values())))
            (self.schedule.own_work if own else self.schedule.waits)(job, self.now)

    @rule(seconds=st.sampled_from([0.5, 1, 5, 40, 400]))
    def pass_time(self, seconds):
        self.now += seconds
        demand = self.schedule.tick(self.now)
        assert demand is None or demand > self.now

    @rule(keys=st.sets(KEYS))
    def cycle(self, keys):
        self.schedule.new_cycle(keys)
        known = self.schedule._history.keys()
        assert known <= keys | self.schedule.running.keys() | self.schedule._waiting
        self.failed_at = {key: at for key, at in self.failed_at.items() if key in known}

    @invariant()
    def bounds_hold(self):
        limits = self.schedule.limits
        assert 0 <= self.schedule.quick <= limits.quick_slots
        assert 0 <= self.schedule.slow <= limits.slow_lane + limits.overflow
        assert self.schedule.quick + self.schedule.slow == len(self.schedule.running)
        lanes = [job.in_slow_lane for job in self.schedule.running.values()]
        assert sum(lanes) == self.schedule.slow
        unsettled = [job for job in self.schedule.running.values() if not job.settled]
        assert sum(job.in_slow_lane for job in unsettled) == self.schedule._unsettled
        assert self.schedule._unsettled <= limits.quick_slots

    @invariant()
    def nothing_is_lost(self):
        assert self.schedule._waiting == self.given
        places = [
            *self.schedule._ready,
            *self.schedule._ready_slow,
            *(key for _, _, key in self.schedule._later),
        ]
        assert sorted(places) == sorted(self.given)

    def teardown(self):
        """Whatever waited is run in the end."""
        for job in list(self.schedule.running.values()):
            self.schedule.done(job, self.now, failed=False)
        for _ in range(100):
            self.now += 400
            self.schedule.new_cycle([])
            self.schedule.tick(self.now)
            while job := self.schedule.take(self.now):
                self.schedule.done(job, self.now, failed=False)
        assert self.schedule.waiting() == 0


AnySchedule.TestCase.settings = settings(max_examples=60, stateful_step_count=60, deadline=None)
TestAnySchedule = AnySchedule.TestCase
