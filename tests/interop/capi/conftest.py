"""One site, with one conductor, for all tests of the driver."""

import pathlib
from collections.abc import Iterator

import pytest

from magnumlite import objects
from magnumlite.db import engine, schema
from magnumlite.rpc import transport
from tests.conftest import options_at_defaults
from tests.interop.capi.management import ManagementCluster
from tests.interop.capi.site import Site, furnish
from tests.interop.driver_environment import Environment
from tests.servers.keystone import Keystone
from tests.servers.mariadb import MariaDB
from tests.servers.rabbitmq import RabbitMQ


@pytest.fixture(scope="package")
def running_site(
    environment: Environment,
    rabbit_server: RabbitMQ,
    mariadb_server: MariaDB,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Site]:
    """A site whose conductor has started."""
    directory: pathlib.Path = tmp_path_factory.mktemp("capi")
    rabbit_server.start()
    mariadb_server.start()
    rabbit_server.create_vhost("capi")
    mariadb_server.create_database("capi")
    with options_at_defaults() as conf, Keystone() as cloud, ManagementCluster() as management:
        conf.set_override("connection", mariadb_server.database_url("capi"), "database")
        conf.set_override("transport_url", rabbit_server.vhost_url("capi"))
        engine.dispose()
        objects.register_all()
        schema.upgrade()
        furnish(cloud)
        site = Site(
            directory,
            environment,
            cloud,
            management,
            rabbit_server.vhost_url("capi"),
            mariadb_server.database_url("capi"),
        )
        with site.conductor():
            yield site
        transport.cleanup()
        engine.dispose()
    mariadb_server.drop_database("capi")
    rabbit_server.delete_vhost("capi")


@pytest.fixture
def site(running_site: Site) -> Iterator[Site]:
    """The site; whatever a test has broken is whole afterwards."""
    yield running_site
    management, cloud = running_site.management, running_site.cloud
    management.status = None
    management.releases.error = None
    management.releases.prepare = lambda release: None
    cloud.fail = lambda service, path: None
    furnish(cloud)
