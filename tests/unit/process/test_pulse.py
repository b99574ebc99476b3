"""Workers tell the parent through shared memory that they consume."""

import os

import pytest

from magnumlite.process import pulse as pulses
from magnumlite.process.pulse import Pulse


def test_a_worker_counts_from_its_first_beat() -> None:
    pulse = Pulse(3)
    pulse.joined(1, 4711)
    assert pulse.consuming() == set()
    pulse.beat(1)
    assert pulse.consuming() == {1}
    assert pulse.pids() == [4711]


def test_a_worker_that_rests_or_left_does_not_count() -> None:
    pulse = Pulse(2)
    for index in range(2):
        pulse.joined(index, 100 + index)
        pulse.beat(index)
    pulse.rests(0)
    assert pulse.consuming() == {1}
    assert pulse.pids() == [100, 101]
    pulse.left(1)
    assert pulse.consuming() == set()
    assert pulse.pids() == [100]


def test_an_old_beat_does_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    # B63: a frozen or dead worker says nothing more.
    now = 1000.0
    monkeypatch.setattr(pulses.time, "monotonic", lambda: now)
    pulse = Pulse(1)
    pulse.beat(0)
    now += pulses.STALE - 1
    assert pulse.consuming() == {0}
    now += 2
    assert pulse.consuming() == set()


def test_a_new_worker_does_not_inherit_a_beat() -> None:
    pulse = Pulse(1)
    pulse.joined(0, 1)
    pulse.beat(0)
    pulse.joined(0, 2)
    assert pulse.consuming() == set()


def test_a_forked_process_writes_to_the_same_memory() -> None:
    pulse = Pulse(2)
    child = os.fork()
    if child == 0:
        pulse.joined(1, os.getpid())
        pulse.beat(1)
        os._exit(0)
    os.waitpid(child, 0)
    assert pulse.consuming() == {1}
    assert pulse.pids() == [child]
