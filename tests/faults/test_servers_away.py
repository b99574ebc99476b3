"""Broker and database go away during load and come back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

import pytest
from oslo_db import exception as db_exc

from magnumlite import exception
from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet
from tests.servers.mariadb import MariaDB
from tests.servers.rabbitmq import RabbitMQ

SCRIPT = {
    "create": {"alone": True, "sleep": 0.5, "saves": "CREATE_IN_PROGRESS"},
    "resize": {"alone": True, "sleep": 1, "saves": "UPDATE_IN_PROGRESS"},
    "nodegroup_create": {"alone": True, "sleep": 1},
    "delete": {"alone": True, "sleep": 0.5},
}

#: Seconds that both are away at once; five minutes when it was run by hand.
BOTH_AWAY = float(os.environ.get("FAULTS_BOTH_AWAY", scale.sized(300, 30)))


@pytest.mark.timeout(900)
def test_a_broker_that_is_stopped_and_started(
    start_fleet: StartFleet, caller: Caller, rabbit_server: RabbitMQ
) -> None:
    """RabbitMQ is away for 20 s; its queues are durable."""

    def away() -> None:
        rabbit_server.flush()
        rabbit_server.stop()
        time.sleep(scale.sized(20, 10))
        rabbit_server.start()

    _survive(caller, away, "broker away", start_fleet)


@pytest.mark.timeout(900)
def test_a_database_that_is_killed_and_started(
    start_fleet: StartFleet, caller: Caller, mariadb_server: MariaDB
) -> None:
    """MariaDB is killed three times, for longer than a process may be silent."""

    def away() -> None:
        for seconds in (0, 3, scale.sized(30, 20)):
            mariadb_server.kill()
            time.sleep(seconds)
            mariadb_server.start()
            time.sleep(4)

    _survive(caller, away, "database killed", start_fleet)


@pytest.mark.timeout(1500)
def test_both_away_at_once(
    start_fleet: StartFleet, caller: Caller, rabbit_server: RabbitMQ, mariadb_server: MariaDB
) -> None:
    """Neither broker nor database answers for a long time; nobody starts a conductor again."""

    def away() -> None:
        rabbit_server.flush()
        rabbit_server.stop()
        mariadb_server.kill()
        time.sleep(BOTH_AWAY)
        mariadb_server.start()
        rabbit_server.start()

    _survive(caller, away, f"both away for {BOTH_AWAY:.0f} s", start_fleet)


def _survive(
    caller: Caller, away: Callable[[], None], scenario: str, start_fleet: StartFleet
) -> None:
    fleet = start_fleet("alpha", "beta", "gamma")
    processes = {one.process.pid for one in fleet.processes()}
    clusters = [caller.create(**SCRIPT) for _ in range(scale.count(40, 10))]
    assert not figures.settle(caller.sent)
    enough = threading.Event()

    def ask() -> None:
        number = 0
        while not enough.wait(0.15):
            cluster = clusters[number % len(clusters)]
            number += 1
            try:
                if number % 3 == 0:
                    caller.create(**SCRIPT)
                elif number % 3 == 1:
                    caller.resize(cluster, 1 + number % 7)
                else:
                    caller.nodegroup_create(cluster, f"ng{number}")
            except (db_exc.DBError, exception.MagnumException):
                # The caller reads the database itself, as magnum-api does; nothing was sent.
                time.sleep(1)

    asking = threading.Thread(target=ask)
    asking.start()
    time.sleep(scale.sized(10, 4))
    away()
    time.sleep(scale.sized(10, 4))
    enough.set()
    asking.join()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report(scenario, result)
    assert (result.failed, result.superseded) == (0, 0), result.reasons
    assert result.leaked_certificates == 0
    assert processes == {one.process.pid for one in fleet.processes()}, "a process was lost"
