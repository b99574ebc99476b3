from collections.abc import Iterator

import pytest
import sqlalchemy as sa

from magnumlite.db import engine, schema

NEEDED = {"mariadb": "mariadb_database", "postgresql": "postgresql_database"}


def _use(conf, url: str) -> Iterator[str]:
    conf.set_override("connection", url, "database")
    engine.dispose()
    yield url
    engine.dispose()


@pytest.fixture(params=NEEDED)
def empty(request, conf) -> Iterator[str]:
    """An empty database of each kind."""
    yield from _use(conf, request.getfixturevalue(NEEDED[request.param]))


@pytest.fixture
def served(empty) -> str:
    """A database of each kind with every table."""
    schema.upgrade()
    return empty


@pytest.fixture
def empty_mariadb(mariadb_database, conf) -> Iterator[str]:
    """An empty MariaDB database, whose default character set is latin1."""
    database = sa.make_url(mariadb_database).database
    admin = sa.create_engine(mariadb_database)
    with admin.connect() as connection:
        connection.exec_driver_sql(
            f"ALTER DATABASE {database} CHARACTER SET latin1 COLLATE latin1_swedish_ci"
        )
    admin.dispose()
    yield from _use(conf, mariadb_database)


@pytest.fixture
def mariadb(empty_mariadb) -> str:
    """A MariaDB database in latin1 with every table."""
    schema.upgrade()
    return empty_mariadb
