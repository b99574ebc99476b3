"""Two hosts on one broker and one database."""

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from oslo_config import cfg

from magnumlite import objects
from magnumlite.db import engine, models, schema
from magnumlite.rpc import transport
from tests.functional.process.conftest import Site

READY = "2 of 2 RPC workers consume"


@pytest.fixture
def shared_site(
    tmp_path: pathlib.Path,
    conf: cfg.ConfigOpts,
    context: Any,
    rabbit_vhost: str,
    mariadb_database: str,
) -> Iterator[Site]:
    """A site with RabbitMQ and MariaDB."""
    conf.set_override("connection", mariadb_database, "database")
    conf.set_override("transport_url", rabbit_vhost)
    engine.dispose()
    objects.register_all()
    schema.upgrade()
    yield Site(tmp_path, context, rabbit_vhost, mariadb_database)
    transport.cleanup()
    engine.dispose()


def test_a_create_sent_twice_is_one_cluster(shared_site: Site) -> None:
    site = shared_site
    with (
        site.conductor(host="alpha", conductor__workers="2") as alpha,
        site.conductor(host="beta", conductor__workers="2") as beta,
    ):
        alpha.wait_for(READY)
        beta.wait_for(READY)
        uuids = site.create(8, call_delay=0.2, times=2)
        alpha.until(
            lambda: sum(row.finished_at is not None for row in site.operations()) == 16,
            "the end of 16 requests",
        )
        operations = site.operations()
    for uuid in uuids:
        ends = sorted(str(row.outcome) for row in operations if row.cluster_uuid == uuid)
        assert ends == ["refused", "succeeded"]
    refused = [row for row in operations if row.outcome == "refused"]
    assert all("already exists" in str(row.reason) for row in refused)
    assert all(row.entered_at is None for row in refused)
    with engine.reader() as session:
        assert session.scalar(sa.select(sa.func.count()).select_from(models.Cluster)) == 8
        assert session.scalar(sa.select(sa.func.count()).select_from(models.NodeGroup)) == 16
        assert session.scalar(sa.select(sa.func.count()).select_from(models.X509KeyPair)) == 32
        assert set(session.scalars(sa.select(models.Cluster.status))) == {"CREATE_COMPLETE"}
