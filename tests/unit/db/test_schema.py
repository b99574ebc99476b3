import threading

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from magnumlite import exception
from magnumlite.db import engine, models, own_models, schema


@pytest.fixture
def empty(conf, tmp_path):
    """A SQLite file without tables."""
    conf.set_override("connection", f"sqlite:///{tmp_path / 'empty.sqlite'}", "database")
    engine.dispose()
    yield
    engine.dispose()


@pytest.fixture
def magnums(empty):
    """A database as magnum leaves it: without our tables."""
    models.Base.metadata.create_all(engine.engine())
    schema.stamp()


def _tables():
    return set(sa.inspect(engine.engine()).get_table_names())


def _stamp(revision):
    with engine.writer() as session:
        session.execute(sa.text(f"UPDATE alembic_version SET version_num = '{revision}'"))


OWN = {*own_models.OwnBase.metadata.tables, schema.OWN_VERSION_TABLE}


def test_an_empty_database_gets_everything(empty):
    assert schema.version() is None
    schema.upgrade()
    assert schema.version() == schema.HEAD
    assert schema.own_version() == schema.own_head()
    assert _tables() == {*models.Base.metadata.tables, "alembic_version", *OWN}
    assert schema.check() == []
    schema.require_current()


def test_upgrade_again_changes_nothing(empty):
    schema.upgrade()
    before = _definitions()
    schema.upgrade()
    assert _definitions() == before


def _definitions():
    with engine.reader() as session:
        return session.execute(sa.text("SELECT name, sql FROM sqlite_master ORDER BY name")).all()


def test_magnums_database_gets_only_our_tables(magnums):
    before = _definitions()
    assert schema.check() == [
        f"magnumlite's own tables are missing (revision {schema.own_head()} is needed)."
    ]
    schema.upgrade()
    added = [row for row in _definitions() if row not in before]
    assert {row.name for row in added if row.sql and row.sql.startswith("CREATE TABLE")} == OWN
    assert set(before) <= set(_definitions())


def test_the_revisions_make_what_the_models_say(database):
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


def test_another_head_is_refused(magnums):
    _stamp("d7e6a4d39fe4")
    for refusing in (schema.require_current, schema.upgrade):
        with pytest.raises(exception.SchemaMismatch) as refused:
            refusing()
        assert "d7e6a4d39fe4" in str(refused.value)
        assert schema.HEAD in str(refused.value)
    assert not OWN & _tables()


def test_a_half_made_database_is_refused(empty):
    models.Base.metadata.tables["cluster"].create(engine.engine())
    with pytest.raises(exception.SchemaMismatch, match=r"\(cluster\) but no Alembic revision"):
        schema.upgrade()


def test_missing_tables_are_named(magnums):
    models.Base.metadata.tables["quotas"].drop(engine.engine())
    with pytest.raises(exception.SchemaMismatch, match="missing: quotas"):
        schema.require_current()


def test_an_empty_database_is_told_what_to_run(empty):
    with pytest.raises(exception.SchemaMismatch, match="magnumlite-db-manage upgrade"):
        schema.require_current()


def test_the_conductor_adds_its_tables(magnums):
    schema.ensure_own_tables()
    assert _tables() >= OWN
    schema.ensure_own_tables()


def test_an_option_forbids_that(magnums, conf):
    conf.set_override("create_tables", False, "journal")
    with pytest.raises(exception.SchemaMismatch, match="magnumlite-db-manage upgrade"):
        schema.ensure_own_tables()
    assert not OWN & _tables()


def test_tables_of_a_later_version_are_left_alone(database):
    with engine.writer() as session:
        session.execute(
            sa.text(f"UPDATE {schema.OWN_VERSION_TABLE} SET version_num = 'magnumlite_999'")
        )
    with pytest.raises(exception.SchemaMismatch, match="a later version"):
        schema.ensure_own_tables()
    assert "magnumlite_999" in schema.check()[0]


def test_a_run_that_was_cut_short_is_completed(magnums):
    own_models.Host.__table__.create(engine.engine())
    schema.ensure_own_tables()
    assert schema.check() == []


def test_several_at_once(magnums):
    failures = []

    def ensure():
        try:
            schema.ensure_own_tables()
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=ensure) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert schema.check() == []
