import pytest
import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite.db import engine
from magnumlite.db.own_models import Host
from magnumlite.fleet import members
from magnumlite.fleet.ownership import Ownership

KEYS = [f"cluster-{n}" for n in range(60)]


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def own(database, clock):
    return lambda host, sweeps=True: Ownership(host, sweeps=sweeps, clock=clock)


def owned(ownership):
    return {key for key in KEYS if ownership.owns(key)}


def test_nothing_is_owned_before_the_first_beat(own):
    assert not owned(own("a"))


def test_a_lone_host_owns_everything(own):
    alone = own("a")
    assert alone.beat()
    assert owned(alone) == set(KEYS)


def test_each_cluster_has_one_owner(own):  # B41
    fleet = [own(host) for host in ("a", "b", "c")]
    for _ in range(2):
        for host in fleet:
            host.beat()
    shares = [owned(host) for host in fleet]
    assert all(shares)
    assert sorted(key for share in shares for key in share) == sorted(KEYS)


def test_others_take_over_when_a_host_drains(own):
    leaving, staying = own("a"), own("b")
    for host in (leaving, staying, leaving):
        host.beat()
    leaving.drain()
    assert not owned(leaving)
    staying.beat()
    assert owned(staying) == set(KEYS)
    leaving.beat()
    assert not owned(leaving)


def test_others_take_over_when_a_host_dies(own):
    dead, alive = own("a"), own("b")
    dead.beat()
    alive.beat()
    assert len(owned(alive)) < len(KEYS)
    with engine.writer() as session:
        session.execute(
            sa.update(Host).where(Host.host == "a").values(seen_at=engine.seconds_ago(21))
        )
    alive.beat()
    assert owned(alive) == set(KEYS)


def test_a_host_without_periodic_tasks_owns_nothing(own):
    idle, working = own("a", sweeps=False), own("b")
    for host in (working, idle, working):
        host.beat()
    assert not owned(idle)
    assert owned(working) == set(KEYS)


def test_with_the_database_away_the_last_ring_holds_for_one_cut_off(own, clock, monkeypatch):
    ownership = own("a")
    ownership.beat()

    def away(*args, **kwargs):
        raise db_exc.DBConnectionError

    monkeypatch.setattr(members, "beat", away)
    clock.now += 14
    assert not ownership.beat()
    assert owned(ownership) == set(KEYS)
    clock.now += 1
    assert not ownership.beat()
    assert not owned(ownership)
    monkeypatch.undo()
    assert ownership.beat()
    assert owned(ownership) == set(KEYS)


def test_a_database_that_is_away_is_one_line(own, monkeypatch, caplog):
    def away(*args, **kwargs):
        raise db_exc.DBConnectionError

    monkeypatch.setattr(members, "beat", away)
    own("a").beat()
    assert [record.levelname for record in caplog.records] == ["WARNING"]
    assert not caplog.records[0].exc_info
