import datetime

import pytest
import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite.db import engine
from magnumlite.db.models import MagnumService
from magnumlite.db.queries import magnum_service
from magnumlite.periodic.heartbeat import BINARY, Heartbeat

LONG_AGO = datetime.datetime(2020, 1, 1)


@pytest.fixture
def heartbeat(database):
    return Heartbeat("host-1", lambda: True)


def rows():
    with engine.reader() as session:
        return [
            (row.host, row.report_count, row.last_seen_up)
            for row in session.scalars(sa.select(MagnumService))
        ]


def make_old():
    with engine.writer() as session:
        session.execute(sa.update(MagnumService).values(last_seen_up=LONG_AGO))


def test_the_first_beat_writes_the_row_of_the_contract(heartbeat, admin):
    heartbeat.beat(admin)
    with engine.reader() as session:
        row = session.scalars(sa.select(MagnumService)).one()
        assert (row.host, row.binary, row.report_count) == ("host-1", BINARY, 1)
        assert (row.disabled, row.forced_down, row.disabled_reason) == (False, False, None)
        assert row.last_seen_up > LONG_AGO


def test_each_beat_counts_and_moves_last_seen_up(heartbeat, admin):
    for count in (1, 2, 3):
        heartbeat.beat(admin)
        assert rows()[0][:2] == ("host-1", count)
        assert rows()[0][2] > LONG_AGO
        make_old()


def test_a_deleted_row_is_made_anew(heartbeat, admin):
    heartbeat.beat(admin)
    with engine.writer() as session:
        session.execute(sa.delete(MagnumService))
    heartbeat.beat(admin)
    assert [row[:2] for row in rows()] == [("host-1", 1)]


def test_a_row_deleted_between_reading_and_counting_is_made_anew(heartbeat, admin, monkeypatch):
    heartbeat.beat(admin)
    real = magnum_service.update

    def deleted_first(context, magnum_service_id, values):
        monkeypatch.setattr(magnum_service, "update", real)
        magnum_service.destroy(context, magnum_service_id)
        real(context, magnum_service_id, values)

    monkeypatch.setattr(magnum_service, "update", deleted_first)
    heartbeat.beat(admin)
    assert [row[:2] for row in rows()] == [("host-1", 1)]


def test_a_row_that_another_process_made_meanwhile_is_used(heartbeat, admin, monkeypatch):
    real = magnum_service.get_by_host_and_binary

    def too_early(context, host, binary):
        monkeypatch.setattr(magnum_service, "get_by_host_and_binary", real)
        magnum_service.create(context, {"host": host, "binary": binary, "report_count": 41})

    monkeypatch.setattr(magnum_service, "get_by_host_and_binary", too_early)
    heartbeat.beat(admin)
    assert [row[:2] for row in rows()] == [("host-1", 42)]


def test_a_count_that_another_process_raised_does_not_stop_it(heartbeat, admin):
    heartbeat.beat(admin)
    with engine.writer() as session:
        session.execute(sa.update(MagnumService).values(report_count=1000))
    make_old()
    heartbeat.beat(admin)
    assert rows()[0][1] == 1001
    assert rows()[0][2] > LONG_AGO


def test_it_is_silent_while_no_worker_consumes(database, admin, caplog):  # B63
    consuming = [True]
    heartbeat = Heartbeat("host-1", lambda: consuming[0])
    heartbeat.beat(admin)
    make_old()
    consuming[0] = False
    for _ in range(3):
        heartbeat.beat(admin)
    assert rows() == [("host-1", 1, LONG_AGO)]
    assert len([each for each in caplog.records if each.levelname == "WARNING"]) == 1
    consuming[0] = True
    heartbeat.beat(admin)
    assert rows()[0][2] > LONG_AGO


def test_a_database_that_is_away_is_the_callers(heartbeat, admin, monkeypatch):
    def away(*args):
        raise db_exc.DBConnectionError

    monkeypatch.setattr(magnum_service, "get_by_host_and_binary", away)
    with pytest.raises(db_exc.DBConnectionError):
        heartbeat.beat(admin)
