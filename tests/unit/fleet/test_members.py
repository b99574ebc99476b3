import sqlalchemy as sa

from magnumlite.db import engine
from magnumlite.db.own_models import Host
from magnumlite.fleet import members


def age(host, seconds):
    with engine.writer() as session:
        session.execute(
            sa.update(Host).where(Host.host == host).values(seen_at=engine.seconds_ago(seconds))
        )


def test_a_host_is_live_after_its_beat(database):
    members.beat("a", sweeps=True, draining=False)
    members.beat("b", sweeps=True, draining=False)
    assert members.live(20) == ["a", "b"]


def test_a_host_not_seen_for_long_is_dead_until_it_beats_again(database):
    for host in ("a", "b"):
        members.beat(host, sweeps=True, draining=False)
    age("a", 25)
    assert members.live(20) == ["b"]
    assert members.live(30) == ["a", "b"]
    members.beat("a", sweeps=True, draining=False)
    assert members.live(20) == ["a", "b"]


def test_a_clock_that_was_set_back_keeps_no_dead_host_alive(database):
    for host in ("dead", "live"):
        members.beat(host, sweeps=True, draining=False)
        age(host, -3600)
    members.beat("live", sweeps=True, draining=False)
    assert members.live(20) == ["live"]


def test_hosts_that_do_not_sweep_or_drain_are_not_live(database):
    members.beat("a", sweeps=False, draining=False)
    members.beat("b", sweeps=True, draining=True)
    assert members.live(20) == []
    members.beat("b", sweeps=True, draining=False)
    assert members.live(20) == ["b"]


def test_a_host_has_one_row(database):
    for _ in range(3):
        members.beat("a", sweeps=True, draining=False)
    with engine.reader() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(Host)) == 1


def test_two_processes_of_a_host_that_are_first_at_once_both_succeed(database, monkeypatch):
    members.beat("a", sweeps=False, draining=False)
    real = members._update

    def not_there_yet(session, host, values):
        monkeypatch.setattr(members, "_update", real)
        return False

    monkeypatch.setattr(members, "_update", not_there_yet)
    members.beat("a", sweeps=True, draining=False)
    assert members.live(20) == ["a"]
