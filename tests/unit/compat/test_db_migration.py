"""The revision of the shared tables."""

import pytest
import sqlalchemy as sa

from magnumlite import exception
from magnumlite.compat import db_migration
from magnumlite.db import engine, schema


def test_tables_are_stamped_with_the_one_revision_there_is(database: str) -> None:
    for name in ("head", schema.HEAD):
        with engine.writer() as session:
            session.execute(sa.text("DELETE FROM alembic_version"))
        assert db_migration.version() is None
        db_migration.stamp(name)
        assert db_migration.version() == schema.HEAD
    with pytest.raises(exception.SchemaMismatch):
        db_migration.stamp("another")
