"""A magnumlite-conductor as operators run it: its own command, RabbitMQ, a database."""

import contextlib
import pathlib
import sys
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from oslo_config import cfg

from magnumlite import objects
from magnumlite.context import RequestContext
from magnumlite.db import engine, own_models, schema
from magnumlite.rpc import client, transport
from tests.functional.process.tree import Tree

COMMAND = [sys.executable, "-m", "magnumlite.cmd.conductor"]
TOPIC = "magnum-conductor"


class Site:
    """A database with a template, a virtual host, and conductors to start on them."""

    def __init__(
        self, directory: pathlib.Path, context: RequestContext, vhost_url: str, database: str
    ) -> None:
        self.directory = directory
        self.context = context
        self.vhost = vhost_url.rpartition("/")[2]
        self.options = {
            "host": "alpha",
            "transport_url": vhost_url,
            "database.connection": database,
            "certificates.cert_manager_type": "x509keypair",
            "conductor.workers": "3",
            "sync.interval": "1",
            "simulated.delay": "0",
            "use_stderr": "true",
        }

    @contextlib.contextmanager
    def conductor(self, **options: str) -> Iterator[Tree]:
        """Run a conductor; keys are option names with "__" for the dot."""
        changed = {name.replace("__", "."): value for name, value in options.items()}
        tree = Tree(self.directory, COMMAND, {**self.options, **changed}, {})
        try:
            yield tree
        finally:
            tree.end()

    def create(self, count: int, call_delay: float, times: int = 1) -> list[str]:
        """Ask for clusters whose driver call takes ``call_delay`` s; return their uuids.

        Each request is sent ``times`` times.
        """
        template = objects.ClusterTemplate(
            self.context,
            uuid=str(uuid.uuid4()),
            name="t",
            project_id=self.context.project_id,
            user_id=self.context.user_id,
            driver="simulated",
            server_type="vm",
            cluster_distro="simulated",
            coe="kubernetes",
            image_id="image",
            flavor_id="small",
            master_flavor_id="small",
            labels={},
        )
        template.create()
        api = client.API(self.context, timeout=30)
        clusters = [
            objects.Cluster(
                self.context,
                uuid=str(uuid.uuid4()),
                name=f"c{number}",
                project_id=self.context.project_id,
                user_id=self.context.user_id,
                cluster_template_id=template.uuid,
                create_timeout=60,
                labels={"simulated_call_delay": str(call_delay)},
            )
            for number in range(count)
        ]
        for cluster in clusters * times:
            api.cluster_create_async(cluster, 1, 1, 60)
        return [cluster.uuid for cluster in clusters]

    def operations(self) -> list[own_models.Operation]:
        """Return the journal."""
        with engine.reader() as session:
            rows = list(session.scalars(sa.select(own_models.Operation)))
            session.expunge_all()
            return rows

    def running(self, count: int) -> Callable[[], bool]:
        """Return a condition: so many driver calls have begun and none has returned."""

        def condition() -> bool:
            entered = [row for row in self.operations() if row.entered_at and not row.released_at]
            return len(entered) == count

        return condition


@pytest.fixture
def site(
    tmp_path: pathlib.Path, conf: cfg.ConfigOpts, context: Any, rabbit_vhost: str
) -> Iterator[Site]:
    """A site with RabbitMQ and a SQLite file."""
    database = f"sqlite:///{tmp_path / 'magnum.sqlite'}"
    conf.set_override("connection", database, "database")
    conf.set_override("transport_url", rabbit_vhost)
    engine.dispose()
    objects.register_all()
    schema.upgrade()
    yield Site(tmp_path, context, rabbit_vhost, database)
    transport.cleanup()
    engine.dispose()
