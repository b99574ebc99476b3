import multiprocessing
import pathlib
import re

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from magnumlite import exception
from magnumlite.db import engine, models, own_models, schema

RECORDED = pathlib.Path(__file__).parents[2] / "contract" / "data" / "schema.mariadb.sql"
OWN = {*own_models.OwnBase.metadata.tables, schema.OWN_VERSION_TABLE}


def _shown() -> dict[str, str]:
    with engine.engine().connect() as connection:
        tables = sa.inspect(connection).get_table_names()
        return {
            table: connection.exec_driver_sql(f"SHOW CREATE TABLE `{table}`").one()[1]
            for table in tables
            if table not in OWN
        }


def _recorded() -> dict[str, str]:
    text = "\n".join(
        line for line in RECORDED.read_text().splitlines() if not line.startswith("--")
    )
    statements = [statement.strip() for statement in text.split(";\n")]
    return {
        re.match(r"CREATE TABLE `(\w+)`", statement)[1]: statement.removesuffix(";")
        for statement in statements
        if statement
    }


def test_mariadbs_tables_are_those_of_the_migrations(mariadb):
    """contract/schema.mariadb.sql, recorded with latin1 as the database's default."""
    assert _shown() == _recorded()


def test_the_whole_schema(served):
    assert schema.check() == []
    tables = set(sa.inspect(engine.engine()).get_table_names())
    assert tables == {*models.Base.metadata.tables, "alembic_version", *OWN}
    schema.upgrade()


def test_the_revisions_make_what_the_models_say(served):
    with engine.engine().connect() as connection:
        context = MigrationContext.configure(
            connection,
            opts={
                "include_object": lambda item, name, kind, *rest: kind != "table" or name in OWN,
                "version_table": schema.OWN_VERSION_TABLE,
                "compare_type": True,
            },
        )
        assert compare_metadata(context, own_models.OwnBase.metadata) == []


def _ensure(url, failures):
    from magnumlite import conf

    try:
        conf.parse([], default_config_files=[])
        conf.CONF.set_override("connection", url, "database")
        engine.dispose()
        schema.ensure_own_tables()
    except Exception as error:
        failures.put(repr(error))


def test_two_hosts_add_our_tables_at_once(served):
    with engine.engine().begin() as connection:
        for table in OWN:
            connection.execute(sa.text(f"DROP TABLE {table}"))
    spawn = multiprocessing.get_context("spawn")
    failures = spawn.Queue()
    hosts = [spawn.Process(target=_ensure, args=(served, failures)) for _ in range(3)]
    for host in hosts:
        host.start()
    for host in hosts:
        host.join()
    assert failures.empty(), failures.get()
    assert schema.check() == []


def test_without_the_right_to_create_the_error_names_the_command(mariadb, conf):
    url = sa.make_url(mariadb)
    user = f"reader{url.database[-6:]}"
    root = sa.create_engine(url.set(username="root", password=""))
    with root.begin() as connection:
        for table in OWN:
            connection.exec_driver_sql(f"DROP TABLE {table}")
        connection.exec_driver_sql(
            "GRANT SELECT, INSERT, UPDATE, DELETE"
            f" ON {url.database}.* TO {user}@localhost IDENTIFIED BY 'secret'"
        )
    restricted = url.set(username=user, password="secret")
    conf.set_override("connection", restricted.render_as_string(hide_password=False), "database")
    engine.dispose()
    with pytest.raises(exception.SchemaMismatch, match=r"denied.*magnumlite-db-manage upgrade"):
        schema.ensure_own_tables()
    with root.begin() as connection:
        connection.exec_driver_sql(f"DROP USER {user}@localhost")
    root.dispose()
