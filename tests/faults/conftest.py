"""A broker, a database, conductors with a driver of somebody else's, and a caller."""

from __future__ import annotations

import pathlib
from collections.abc import Callable, Iterator

import pytest
from oslo_config import cfg

from magnumlite import objects
from magnumlite.db import engine, schema
from magnumlite.rpc import transport
from tests.conftest import SUMMARY
from tests.faults import figures
from tests.faults.caller import Caller
from tests.faults.fleet import Fleet

#: What the hosts of every scenario are started with: short intervals, so that recovery is seen.
OPTIONS = {
    "certificates.cert_manager_type": "x509keypair",
    "conductor.workers": "2",
    "sync.interval": "1",
    "sync.backoff_min": "1",
    "sync.backoff_max": "5",
    "journal.heartbeat_interval": "2",
    "journal.dead_after": "15",
    "fleet.beat_interval": "1",
    "fleet.dead_after": "6",
    "oslo_messaging_rabbit.amqp_durable_queues": "true",
    "oslo_messaging_notifications.driver": "messagingv2",
    "oslo_messaging_rabbit.rabbit_quorum_queue": "false",
    "kubernetes.health_polling_interval": "-1",
    "use_stderr": "true",
}

StartFleet = Callable[..., Fleet]


@pytest.fixture(autouse=True)
def reported(record_property: Callable[[str, object], None]) -> Iterator[None]:
    """Hand the lines of the scenario to the summary, which may be another process's."""
    yield
    while figures.reported:
        record_property(SUMMARY, figures.reported.pop(0))


@pytest.fixture
def site(
    conf: cfg.ConfigOpts, mariadb_database: str, rabbit_vhost: str
) -> Iterator[dict[str, str]]:
    """A MariaDB database with its schema and a virtual host; the options that lead there."""
    conf.set_override("connection", mariadb_database, "database")
    conf.set_override("transport_url", rabbit_vhost)
    conf.set_override("amqp_durable_queues", True, "oslo_messaging_rabbit")
    engine.dispose()
    objects.register_all()
    schema.upgrade()
    yield {
        **OPTIONS,
        "database.connection": mariadb_database,
        "transport_url": rabbit_vhost,
        "oslo_messaging_notifications.transport_url": rabbit_vhost,
    }
    transport.cleanup()
    engine.dispose()


@pytest.fixture
def caller(site: dict[str, str]) -> Caller:
    """Sends requests."""
    return Caller()


@pytest.fixture
def start_fleet(site: dict[str, str], tmp_path: pathlib.Path) -> Iterator[StartFleet]:
    """Start hosts by name; keyword arguments are options with "__" for the dot."""
    fleets: list[Fleet] = []

    def start(*names: str, **options: str) -> Fleet:
        changed = {name.replace("__", "."): value for name, value in options.items()}
        fleet = Fleet(tmp_path, {**site, **changed}, list(names))
        fleets.append(fleet)
        fleet.start()
        return fleet

    yield start
    for fleet in fleets:
        fleet.stop()
