"""Rolling restarts: what an operator does on any day costs nobody anything."""

import signal
import threading
import time

import pytest

from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet


@pytest.mark.timeout(900)
def test_a_rolling_restart_fails_nothing(start_fleet: StartFleet, caller: Caller) -> None:
    """SIGTERM to one of three hosts after the other while casts come in."""
    # Few threads, so that operations wait when their worker is told to stop.
    fleet = start_fleet("alpha", "beta", "gamma", conductor__operation_threads="1")
    casts = scale.count(200, 60)
    pause = 0.12

    def ask() -> None:
        for number in range(casts):
            caller.create(create={"alone": True, "sleep": 0.5 + number % 3})
            time.sleep(pause)

    asking = threading.Thread(target=ask)
    asking.start()
    statuses = []
    for host in fleet.hosts:
        time.sleep(scale.sized(6, 3))
        host.send(signal.SIGTERM)
        statuses.append(host.wait())
        host.start()
        fleet.ready(host, times=2)
    asking.join()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    cast_again = fleet.text().count("is given back to the broker")
    figures.report("rolling restart", result, cast_again=cast_again)
    assert statuses == [0, 0, 0]
    assert (result.failed, result.never_accepted) == (0, 0), result.reasons
    assert result.well == casts
    assert result.leaked_certificates == 0
    assert cast_again > 0, "nothing waited: the scenario shows less than it should"
