"""A process that is stopped loses its claims, and writes nothing when it wakes up."""

import os
import signal
import time
from typing import Any

import pytest
import sqlalchemy as sa

from magnumlite.db import engine, models
from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet
from tests.faults.fleet import Fleet, until


@pytest.mark.timeout(900)
def test_a_process_that_wakes_up_writes_nothing(start_fleet: StartFleet, caller: Caller) -> None:
    """Stopped inside a create and a resize whose drivers save a status by themselves."""
    late = {"sleep": 20, "saves": "RESTORE_COMPLETE"}
    # The broker, too, finds out that a process has stopped, and sends elsewhere what it had.
    options = {"conductor__workers": "1", "oslo_messaging_rabbit__heartbeat_timeout_threshold": "6"}
    alpha = start_fleet("alpha", **options)
    resized = caller.create(resize=late)
    assert not figures.settle(caller.sent)
    caller.create(create=late)
    caller.resize(resized, 5)
    until(lambda: len(_inside(alpha)) == 2, "two driver calls inside", alpha.text)
    stalled = [call.request for call in _inside(alpha)]
    (worker,) = {call.pid for call in _inside(alpha)}
    os.kill(worker, signal.SIGSTOP)
    stopped_at = time.monotonic()

    beta = start_fleet("beta", **options)
    assert not figures.settle(caller.sent)
    caller.nodegroup_create(resized, "later")
    assert not figures.settle(caller.sent, quiet=60)
    time.sleep(max(0.0, stopped_at + scale.sized(90, 0) - time.monotonic()))
    before = _rows()
    assert {row["status"] for row in before["cluster"]} == {"CREATE_COMPLETE", "UPDATE_COMPLETE"}

    os.kill(worker, signal.SIGCONT)
    until(lambda: not _inside(alpha), "end of the calls that were stalled", alpha.text)
    until(lambda: alpha.text().count("has lost its claim") == 2, "two lost claims", alpha.text)
    assert _rows() == before
    # It serves on: nothing but its claims is lost.
    caller.create()
    caller.create()
    stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, beta, stuck=stuck, overtaken=stalled)
    figures.report("stalled process", result)
    assert (result.failed, result.well) == (1, 5)
    outcomes = {row.request_id: row.outcome for row in figures.journal()}
    assert sorted(str(outcomes[request]) for request in stalled) == ["lost", "succeeded"]
    assert result.leaked_certificates == 0


def _inside(fleet: Fleet) -> list[figures.Call]:
    return [call for call in figures.calls(fleet.directory) if call.end is None]


def _rows() -> dict[str, list[dict[str, Any]]]:
    """Return all clusters and nodegroups, whole."""
    with engine.reader() as session:
        return {
            model.__tablename__: [
                dict(row) for row in session.execute(sa.select(model.__table__)).mappings()
            ]
            for model in (models.Cluster, models.NodeGroup)
        }
