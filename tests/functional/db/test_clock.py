import datetime

import pytest
import sqlalchemy as sa

from magnumlite.db import engine, own_models


def _utc() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC).replace(tzinfo=None)


def _select(*expressions):
    with engine.reader() as session:
        return session.execute(sa.select(*expressions)).one()


def test_now_is_utc_whatever_the_session_says(served):
    before = _utc()
    (now,) = _select(engine.now())
    assert before <= now <= _utc()


def test_now_has_microseconds(served):
    """Not every reading ends in three zeros."""
    assert any(_select(engine.now())[0].microsecond % 1000 for _ in range(20))


@pytest.mark.parametrize("seconds", [60, 0.25, -90])
def test_seconds_ago(served, seconds):
    before = _utc()
    (then,) = _select(engine.seconds_ago(seconds))
    ago = datetime.timedelta(seconds=seconds)
    assert before - ago <= then <= _utc() - ago


def test_seconds_from_a_column(served):
    (then,) = _select(engine.seconds_ago(sa.literal(30) * 2))
    assert then < _utc() - datetime.timedelta(seconds=59)


def test_stored_moments_keep_their_microseconds(served):
    with engine.writer() as session:
        session.add(own_models.Host(host="h", sweeps=True, draining=False, seen_at=engine.now()))
    seen_at = own_models.Host.seen_at
    stored, earlier, elapsed = _select(seen_at, seen_at <= engine.now(), engine.elapsed(seen_at))
    assert earlier
    assert elapsed >= 0
    assert stored <= _utc()
    with engine.writer() as session:
        session.execute(sa.update(own_models.Host).values(seen_at=engine.seconds_ago(100)))
    old, young, elapsed = _select(
        seen_at < engine.seconds_ago(99),
        seen_at > engine.seconds_ago(3600),
        engine.elapsed(seen_at),
    )
    assert old
    assert young
    assert 100 <= elapsed < 3600
