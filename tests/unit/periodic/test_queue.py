import collections
import logging
import threading
import time

import pytest

from magnumlite.periodic import queue as queues

PATIENCE = 60  # seconds a test waits for what must come; never what it measures


class Work:
    """Jobs that record themselves; those of keys in `hang` wait until let go."""

    def __init__(self):
        self.changed = threading.Condition()
        self.begun = collections.Counter()
        self.order = []
        self.ended = collections.Counter()
        self.threads = set()
        self.hang = set()
        self.errors = {}
        self.let_go = threading.Event()

    def __call__(self, key):
        with self.changed:
            self.begun[key] += 1
            self.order.append(key)
            self.threads.add(threading.current_thread())
            self.changed.notify_all()
        if key in self.hang:
            self.let_go.wait(PATIENCE)
        with self.changed:
            self.ended[key] += 1
            self.changed.notify_all()
        if key in self.errors:
            raise self.errors[key]

    def until(self, true):
        with self.changed:
            assert self.changed.wait_for(true, PATIENCE)


@pytest.fixture
def work():
    return Work()


@pytest.fixture
def make(work):
    made = []

    def start(**options):
        given = {
            "quick_slots": 2,
            "slow_lane": 3,
            "slow_after": 0.05,
            "backoff_min": 10,
            "backoff_max": 300,
            **options,
        }
        queue = queues.KeyedQueue("test", work, **given)
        queue.start()
        made.append(queue)
        return queue

    yield start
    work.let_go.set()
    for queue in made:
        queue.stop()
        assert queue.wait(PATIENCE) == []


def test_every_key_of_a_sweep_runs_once(make, work):
    make().add_all([f"k{n}" for n in range(200)])
    work.until(lambda: len(work.ended) == 200)
    assert set(work.begun.values()) == {1}
    assert len(work.threads) <= 5


def test_a_key_never_runs_twice_at_once(make, work):  # B11
    work.hang = {"a"}
    queue = make()
    assert queue.add("a")
    work.until(lambda: work.begun["a"])
    assert not any(queue.add("a") for _ in range(20))
    queue.add_all(["a", "b"])
    work.until(lambda: work.ended["b"])
    assert work.begun["a"] == 1
    assert "a" in queue.running()


def test_hung_keys_leave_their_slots_to_others(make, work):  # B31
    work.hang = {"a", "b", "c"}
    queue = make()
    for key in ("a", "b", "c", "d"):
        queue.add(key)
    work.until(lambda: work.ended["d"])
    assert queue.counters()["left_slot"] >= 2


def test_own_work_keeps_its_slot(make, work):
    work.hang = {"a"}
    queue = make(quick_slots=1)
    busy = threading.Event()
    plain = queue._work

    def works(key):
        if key == "b":
            with queue.own_work():
                busy.set()
                work.let_go.wait(PATIENCE)
        plain(key)

    queue._work = works
    queue.add("a")
    queue.add("b")
    assert busy.wait(PATIENCE)
    queue.add("c")
    wait_for(lambda: queue.running().get("b", 0) > 0.2)
    assert not work.begun["c"]
    work.let_go.set()
    work.until(lambda: work.ended["c"])


def test_threads_are_bounded_whatever_hangs(make, work):  # B11
    work.hang = {f"k{n}" for n in range(100)}
    queue = make(overflow=4)
    for _ in range(3):
        queue.add_all(sorted(work.hang))
    work.until(lambda: len(work.begun) == 9)
    assert queue.counters()["now_threads"] == 9
    work.let_go.set()
    work.until(lambda: len(work.ended) == 100)
    assert len({thread for thread in work.threads if thread.is_alive()}) <= 9


def test_threads_are_reused(make, work):
    queue = make()
    for n in range(50):
        queue.add(f"k{n}")
        work.until(lambda n=n: work.ended[f"k{n}"])
    assert len(work.threads) <= 2


def test_a_key_may_wait(make, work):
    queue = make()
    queue.add("later", after=0.05)
    queue.add("now")
    work.until(lambda: work.ended["later"])
    assert list(work.ended) == ["now", "later"]


def test_a_sweep_may_be_spread(make, work):
    queue = make()
    queue.add_all(["a", "b", "c", "d"], spread=1e6)
    work.until(lambda: len(work.ended) == 1)
    assert queue.counters()["now_waiting"] == 3


def test_sweeps_go_in_one_order_that_is_not_that_of_the_names(make, work):
    queue = make(quick_slots=1, slow_after=PATIENCE)
    names = [f"k{n:02}" for n in range(40)]
    orders = []
    for sweep in (1, 2):
        queue.add_all(names if sweep == 1 else names[::-1])
        work.until(lambda count=40 * sweep: work.ended.total() == count)
        while queue.running():
            time.sleep(0.01)
        orders.append(work.order[-40:])
    assert orders[0] == orders[1]
    assert orders[0] != names


def test_an_error_makes_its_key_wait_and_is_told(make, work, caplog):
    work.errors = {"a": ValueError("no such thing")}
    queue = make()
    queue.add("a")
    work.until(lambda: work.ended["a"])
    wait_for_log(caplog, "a failed (1 in a row), again in 1")
    assert queue.add("a")
    queue.add("b")
    work.until(lambda: work.ended["b"])
    assert work.begun["a"] == 1
    assert queue.counters()["failed"] == 1
    record = next(each for each in caplog.records if "failed" in each.message)
    assert "ValueError: no such thing" in record.message
    assert record.exc_info


def test_an_error_that_told_itself_is_not_told_again(make, work, caplog):
    work.errors = {"a": queues.RetryLater()}
    queue = make(backoff_min=1e-9, backoff_max=1e-9)
    for n in range(3):
        queue.add("a", after=0)
        work.until(lambda n=n: work.ended["a"] == n + 1)
        wait_for(lambda: not queue.running())
    assert not [each for each in caplog.records if each.levelno >= logging.WARNING]


def test_a_traceback_is_told_once_in_a_row(make, work, caplog):
    work.errors = {"a": ValueError()}
    queue = make(backoff_min=1e-9, backoff_max=1e-9)
    for n in range(3):
        queue.add("a")
        work.until(lambda n=n: work.ended["a"] == n + 1)
        wait_for_log(caplog, f"a failed ({n + 1} in a row)")
    told = [bool(each.exc_info) for each in caplog.records if "failed" in each.message]
    assert told == [True, False, False]


def test_what_runs_long_is_told_with_its_key(make, work, caplog):
    work.hang = {"stuck"}
    make(slow_log_after=0.05).add("stuck")
    wait_for_log(caplog, "stuck has been running for")


def test_a_group_that_is_held_back_is_told(make, work, caplog):
    work.hang = {f"bad{n}" for n in range(30)}
    queue = make(
        quick_slots=20, slow_lane=2, overflow=50, hung_after=0.1, group_of=lambda key: key[:3]
    )
    queue.add_all(sorted(work.hang))
    wait_for_log(caplog, "most jobs of 'bad' hang")
    assert queue.counters()["now_groups_held_back"] == 1
    queue.add("good")
    work.until(lambda: work.ended["good"])
    work.let_go.set()
    work.hang = set()
    wait_for(lambda: not queue.running())
    queue.add_all(["bad-but-well"])
    wait_for_log(caplog, "jobs of 'bad' return again")


def test_a_driver_that_exits_has_only_failed(make, work, caplog):
    work.errors = {"a": SystemExit(3)}
    queue = make()
    queue.add("a")
    wait_for_log(caplog, "a failed (1 in a row)")
    queue.add("b")
    work.until(lambda: work.ended["b"])
    assert "a" not in queue.running()


def test_a_machine_without_threads_makes_jobs_wait(make, work, monkeypatch, caplog):
    queue = make(backoff_min=1e-9, backoff_max=1e-9)
    with monkeypatch.context() as patch:

        def refuse(thread):
            raise RuntimeError("can't start new thread")

        patch.setattr(threading.Thread, "start", refuse)
        queue.add_all(["a", "b"])
    assert "test: no thread for" in caplog.text
    assert queue.counters()["now_threads"] == 0
    assert not queue.running()
    queue.add_all(["a", "b"])
    work.until(lambda: len(work.ended) == 2)


def test_stop_starts_nothing_more_and_names_what_is_left(work, caplog):  # B05
    work.hang = {"a"}
    queue = queues.KeyedQueue(
        "test",
        work,
        quick_slots=1,
        slow_lane=1,
        slow_after=1e6,
        backoff_min=1,
        backoff_max=1,
    )
    queue.start()
    queue.add("a")
    queue.add("b")
    work.until(lambda: work.begun["a"])
    queue.stop()
    assert not queue.add("c")
    assert queue.wait(0.01) == ["a"]
    assert "left 1 jobs behind: a" in caplog.text
    work.let_go.set()
    assert queue.wait(PATIENCE) == []
    assert list(work.ended) == ["a"]
    assert not [thread for thread in work.threads if thread.is_alive()]
    assert all(thread.daemon for thread in work.threads)


def wait_for(true):
    pause = threading.Event()
    for _ in range(PATIENCE * 100):
        if true():
            return
        pause.wait(0.01)
    raise AssertionError("it never came true")


def wait_for_log(caplog, text):
    wait_for(lambda: text in caplog.text)
