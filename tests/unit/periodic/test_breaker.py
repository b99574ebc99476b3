import pytest

from magnumlite.periodic.breaker import EVIDENCE, Breaker


def hang(breaker: Breaker, times: int, started: float = 1.0) -> bool:
    return [breaker.hung(started) for _ in range(times)][-1]


def test_a_few_hung_jobs_are_no_evidence():
    assert not hang(Breaker(10), EVIDENCE - 1)


def test_most_hang():
    assert hang(Breaker(10), EVIDENCE)


def test_as_many_return_as_hang():
    breaker = Breaker(10)
    for _ in range(EVIDENCE):
        breaker.returned(1.0)
    assert not hang(breaker, EVIDENCE)
    assert breaker.hung(1.0)


def test_jobs_of_another_time_say_nothing():
    breaker = Breaker(10)
    for _ in range(1000):
        breaker.returned(9.0)
    assert hang(breaker, EVIDENCE, started=11.0)


@pytest.mark.parametrize("hangs", [True, False])
def test_counts_of_the_past_are_dropped(hangs):
    breaker = Breaker(10)
    for period in range(1000):
        breaker.returned(period * 10.0)
        if hangs:
            breaker.hung(period * 10.0)
    assert len(breaker._returned) <= 3
    assert len(breaker._hung) <= 3


def test_open_admits_one_a_cycle_and_closes_when_a_job_returns():
    breaker = Breaker(10)
    assert breaker.admits()
    assert breaker.admits()
    breaker.is_open = True
    breaker.new_cycle()
    assert breaker.admits()
    assert not breaker.admits()
    breaker.new_cycle()
    assert breaker.admits()
    breaker.returned(50.0)
    assert breaker.admits()
    assert breaker.admits()
