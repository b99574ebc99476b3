"""Rows: an INSERT whose answer was lost, reads while the database is away."""

from typing import Any

import pytest
from oslo_db import exception as db_exc

from magnumlite import objects
from magnumlite.db import patience
from magnumlite.db.models import X509KeyPair
from magnumlite.db.queries import rows


@pytest.fixture(autouse=True)
def quick(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience.tenacity.nap.time, "sleep", lambda seconds: None)


def test_an_insert_whose_answer_was_lost_is_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    add, lost = rows.add, []

    def answer_lost(*arguments: Any) -> Any:
        row = add(*arguments)
        if not lost:
            lost.append(row["uuid"])
            raise db_exc.DBConnectionError
        return row

    monkeypatch.setattr(rows, "add", answer_lost)
    row = rows.insert(X509KeyPair, {"certificate": "c"})
    assert row["uuid"] == lost[0]
    assert rows.count(X509KeyPair, []) == 1


def test_an_insert_that_was_not_done_is_done_again(monkeypatch: pytest.MonkeyPatch) -> None:
    add, failed = rows.add, []

    def refused(*arguments: Any) -> Any:
        if not failed:
            failed.append(arguments)
            raise db_exc.DBConnectionError
        return add(*arguments)

    monkeypatch.setattr(rows, "add", refused)
    rows.insert(X509KeyPair, {"certificate": "c"})
    assert rows.count(X509KeyPair, []) == 1


def test_a_job_reads_again_when_the_database_is_back(
    admin: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    objects.register_all()
    reader, away = rows.engine.reader, []

    def refused() -> Any:
        if len(away) < 30:
            away.append(1)
            raise db_exc.DBConnectionError
        return reader()

    monkeypatch.setattr(rows.engine, "reader", refused)
    with patience.of(patience.JOB):
        assert objects.X509KeyPair.list(admin) == []
    assert len(away) == 30
