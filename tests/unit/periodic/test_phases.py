import collections
import itertools
import uuid

from magnumlite.periodic.phases import Phases

KEYS = [str(uuid.UUID(int=number)) for number in range(200)]


def run(phases, keys, seconds, step=0.5, start=0.0):
    turns = collections.defaultdict(list)
    moment = start
    while moment < start + seconds:
        for key in phases.due(keys, moment):
            turns[key].append(moment)
        moment += step
    return turns


def test_the_first_turn_comes_within_a_quarter_of_the_interval():
    turns = run(Phases(60.0), KEYS, 16)
    assert set(turns) == set(KEYS)
    assert all(len(times) == 1 for times in turns.values())
    assert max(times[0] for times in turns.values()) > 7


def test_later_turns_are_an_interval_apart_and_spread():
    turns = run(Phases(60.0), KEYS, 400, start=1000.0)
    for times in turns.values():
        gaps = [after - before for before, after in itertools.pairwise(times)]
        assert 29 <= gaps[0] <= 91
        assert all(59 <= gap <= 61 for gap in gaps[1:])
    seconds = collections.Counter(int(times[2]) % 60 // 10 for times in turns.values())
    assert min(seconds.values()) > len(KEYS) / 6 / 3


def test_a_key_that_went_and_came_back_is_new():
    phases = Phases(60.0)
    run(phases, KEYS, 16)
    phases.due([], 20.0)
    assert set(run(phases, KEYS, 16, start=21.0)) == set(KEYS)


def test_missed_moments_are_not_made_up():
    phases = Phases(10.0)
    run(phases, KEYS[:1], 10)
    assert phases.due(KEYS[:1], 1000.0) == {KEYS[0]: 0.0}
    assert len(run(phases, KEYS[:1], 100, start=1001.0)[KEYS[0]]) in (9, 10, 11)


def test_looking_ahead_tells_the_same_moments():
    exact, ahead = Phases(60.0), Phases(60.0)
    wanted, got = collections.defaultdict(list), collections.defaultdict(list)
    for tick in range(0, 20000, 10):
        moment = tick / 100
        for key in exact.due(KEYS, moment):
            wanted[key].append(moment)
        if tick % 300 == 0:
            for key, wait in ahead.due(KEYS, moment, ahead=3.0).items():
                got[key].append(moment + wait)
    for key in KEYS:
        for one, other in zip(wanted[key], got[key], strict=False):
            assert abs(one - other) < 0.11
