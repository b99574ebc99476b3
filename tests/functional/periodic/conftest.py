# ruff: noqa: F401
import pytest

from magnumlite.db import engine, schema
from tests.unit.periodic.conftest import driver, make_cluster, sent, template


@pytest.fixture(params=["mariadb_database", "postgresql_database"])
def database(request, conf):
    url = request.getfixturevalue(request.param)
    conf.set_override("connection", url, "database")
    engine.dispose()
    schema.upgrade()
    yield url
    engine.dispose()
