"""Numbers, and whether they are what was to be reached."""

import pytest

from benchmarks import figures
from benchmarks.figures import Summary, Target


def test_the_median_with_its_range() -> None:
    assert Summary.of([3, 1, 2]) == Summary(2, 1, 3)


def test_what_did_not_happen_once_has_no_median() -> None:
    assert Summary.of([1.5, None, 4]) == Summary(None, 1.5, 4)
    assert Summary.of([None]) == Summary(None, None, None)


@pytest.mark.parametrize(
    ("target", "lite", "ratio", "reached"),
    [
        (figures.at_most(5), 5, None, True),
        (figures.at_most(5), 5.1, 0.1, False),
        (figures.at_most(5), None, None, False),
        (figures.exactly(1), 1.0, None, True),
        (figures.exactly(1), 1.05, None, False),
        (figures.times_at_most(0.4), 100, 0.4, True),
        (figures.times_at_most(0.4), 1, 0.5, False),
        (figures.times_at_most(0.4), 1, None, None),
        (figures.times_at_most(0.4), None, None, False),
        (figures.times_at_least(1.5), 1, 1.6, True),
        (figures.times_at_least(1.5), 1, 1.4, False),
        (Target(0.9, 1.1), 1.2, None, False),
    ],
)
def test_reached(target: Target, lite: float, ratio: float, reached: bool | None) -> None:
    assert target.reached(lite, ratio) is reached


def test_targets_in_words() -> None:
    told = [figures.at_most(5), figures.times_at_least(1.5), figures.exactly(0), Target(0.9, 1.1)]
    assert [str(each) for each in told] == ["<= 5", ">= 1.5x", "0", "0.9 to 1.1"]


def test_a_ratio_needs_both() -> None:
    assert figures.ratio(1, 2) == 0.5
    assert figures.ratio(0, 2) == 0
    assert figures.ratio(1, None) is None
    assert figures.ratio(None, 2) is None
    assert figures.ratio(1, 0) is None


def test_runs_that_do_not_have_a_number_do_not_count() -> None:
    assert figures.numbers([{"a": 1}, {"b": 2}, {"a": 3}], "a") == Summary(2, 1, 3)
    assert figures.numbers([{"b": 2}], "a") is None
