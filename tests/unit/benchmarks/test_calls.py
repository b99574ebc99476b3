"""What the driver's log says."""

from pathlib import Path

import pytest

from benchmarks import calls
from benchmarks.calls import Call

LOG = """\
S poll 1.0 7 70 a
S poll 1.5 7 71 b
E poll 2.0 7 70 a
S create 2.5 8 80 c
E poll 4.5 7 71 b
S poll 11.0 9 90 a
"""


@pytest.fixture
def polls(tmp_path: Path) -> dict[str, list[Call]]:
    log = tmp_path / "log"
    log.write_text(LOG)
    return calls.read(log, "poll")


def test_a_call_has_its_begin_and_its_end(polls: dict[str, list[Call]]) -> None:
    assert polls == {
        "a": [Call(1.0, 7, 2.0), Call(11.0, 9)],
        "b": [Call(1.5, 7, 4.5)],
    }


def test_calls_that_began_in_a_stretch_of_time(polls: dict[str, list[Call]]) -> None:
    assert calls.begun(polls) == 3
    assert calls.begun(polls, 1.5, 11.0) == 1


def test_what_does_not_end_is_under_way(polls: dict[str, list[Call]]) -> None:
    assert calls.most_at_once(polls) == 2
    assert calls.most_at_once({"a": [Call(1, 1), Call(2, 1), Call(3, 1, 4)]}) == 3


def test_a_cluster_that_gets_a_call_during_another(polls: dict[str, list[Call]]) -> None:
    assert calls.overlapping(polls) == 0
    assert calls.overlapping({"a": [Call(1, 1, 3), Call(2, 2, 4)], "b": [Call(1, 1)]}) == 1


def test_a_sweep_is_every_clusters_next_call(polls: dict[str, list[Call]]) -> None:
    assert calls.sweep(polls) == 3.5
    assert calls.sweep({"a": [Call(1, 1, 2)], "b": []}) is None


def test_the_longest_gap_begins_with_the_last_call_before() -> None:
    made = {"a": [Call(5, 1), Call(9, 1), Call(20, 2)], "b": [Call(12, 2)]}
    assert calls.longest_gap(made, begin=10, end=25) == 13
    assert calls.longest_gap({"a": [Call(5, 1)]}, begin=10, end=25) == 20
