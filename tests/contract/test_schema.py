"""The tables that we make are magnum's (contract/schema.*.sql); MariaDB's are in functional."""

import pathlib
import re

import sqlalchemy as sa

from magnumlite.db import engine, schema

DATA = pathlib.Path(__file__).parent / "data"


def _statements(text):
    text = re.sub(r"^--.*$", "", text, flags=re.MULTILINE)
    return {" ".join(statement.split()) for statement in text.split(";") if statement.strip()}


def test_sqlite(database):
    with engine.reader() as session:
        made = session.scalars(
            sa.text(
                "SELECT sql FROM sqlite_master WHERE type = 'table'"
                " AND name NOT LIKE 'magnumlite%' AND name != 'alembic_version'"
            )
        ).all()
    recorded = _statements((DATA / "schema.sqlite.sql").read_text())
    assert _statements(";".join(made)) == recorded


def test_the_head():
    first = (DATA / "schema.mariadb.sql").read_text().splitlines()[0]
    assert f"alembic head {schema.HEAD}" in first
