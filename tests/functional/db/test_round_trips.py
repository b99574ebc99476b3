"""What a transaction costs beside its statements."""

from typing import Any

import pytest
import sqlalchemy as sa

from magnumlite.db import engine, models, mysql

TIMES = 10


def commands(names: tuple[str, ...]) -> dict[str, int]:
    """Return how many of these commands MariaDB has got on every connection."""
    with engine.reader() as session:
        rows = session.execute(
            sa.text("SHOW GLOBAL STATUS WHERE Variable_name IN :names").bindparams(
                sa.bindparam("names", [f"Com_{name}" for name in names], expanding=True)
            )
        )
        return {name.removeprefix("Com_"): int(count) for name, count in rows}


@pytest.mark.usefixtures("mariadb")
def test_a_read_ends_with_one_rollback_and_a_write_with_none() -> None:
    names = ("select", "insert", "commit", "rollback")
    _read()
    before = commands(names)
    for _ in range(TIMES):
        _read()
    between = commands(names)
    # The count itself reads, too.
    assert between["rollback"] - before["rollback"] == TIMES + 1
    for number in range(TIMES):
        with engine.writer() as session:
            session.add(models.Quota(project_id=str(number), resource="Cluster", hard_limit=1))
    after = commands(names)
    assert after["commit"] - between["commit"] == TIMES
    assert after["rollback"] - between["rollback"] == 1


@pytest.mark.usefixtures("served")
def test_what_fails_leaves_nothing_to_the_next_that_gets_its_connection(conf: Any) -> None:
    conf.set_override("max_pool_size", 1, "database")
    engine.dispose()
    with pytest.raises(ZeroDivisionError):
        _write_and_fail()
    with engine.writer() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(models.Quota)) == 0


def _write_and_fail() -> None:
    with engine.writer() as session:
        session.add(models.Quota(project_id="p", resource="Cluster", hard_limit=1))
        session.flush()
        raise ZeroDivisionError


def _read() -> None:
    with engine.reader() as session:
        session.scalar(sa.select(sa.func.count()).select_from(models.Quota))


@pytest.mark.usefixtures("mariadb")
def test_connections_of_the_engine_are_light() -> None:
    with engine.reader() as session:
        assert isinstance(session.connection().connection.driver_connection, mysql.LightConnection)


@pytest.mark.usefixtures("mariadb")
def test_what_columns_are_is_worked_out_once_and_anew_when_it_changes() -> None:
    def columns(statement: str) -> list[tuple[Any, ...]]:
        with engine.reader() as session:
            return [tuple(each) for each in session.execute(sa.text(statement)).cursor.description]

    mysql.column.cache_clear()
    first = columns("SELECT uuid, id FROM cluster")
    worked_out = mysql.column.cache_info().misses
    assert columns("SELECT uuid, id FROM cluster") == first
    assert mysql.column.cache_info().misses == worked_out
    assert [name for name, *_ in columns("SELECT id AS other FROM cluster")] == ["other"]
    assert mysql.column.cache_info().misses == worked_out + 1
