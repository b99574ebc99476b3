"""What sweeps ask of the database: counts that must not creep up.

Magnum 23.0.0 sends 14 statements for each cluster of a health sweep.
"""

import pytest

from magnumlite.context import make_admin_context
from magnumlite.drivers import monitors
from magnumlite.periodic.health import HealthSweep
from magnumlite.periodic.status import StatusSweep
from tests.statements import counted


class Well:
    """A monitor that finds what it found before."""

    def __init__(self):
        self.data = {}

    def poll_health_status(self):
        self.data = {"health_status": "HEALTHY", "health_status_reason": {"api": "ok"}}


class Queue:
    def __init__(self):
        self.keys = []

    def add(self, key, after=0.0):
        self.keys.append(key)

    def add_all(self, keys):
        self.keys = list(keys)


def test_a_health_check_that_finds_nothing_new(conf, driver, make_cluster, monkeypatch):
    monkeypatch.setattr(monitors, "create_monitor", lambda *args: Well())
    sweep = HealthSweep(Queue(), lambda uuid: True)
    uuid = make_cluster("CREATE_COMPLETE")
    sweep.check(uuid)
    with counted() as sent:
        sweep.check(uuid)
    assert len(sent) <= 1, str(sent)
    assert sent.transactions <= 1, str(sent)


@pytest.mark.parametrize("clusters", [1, 40])
def test_a_status_sweep_asks_the_same_whatever_their_number(conf, driver, make_cluster, clusters):
    for _ in range(clusters):
        make_cluster("UPDATE_IN_PROGRESS")
    queue = Queue()
    sweep = StatusSweep(queue, lambda uuid: True)
    sweep.due(make_admin_context(all_tenants=True))  # adopts them
    with counted() as sent:
        sweep.due(make_admin_context(all_tenants=True))
    assert len(queue.keys) == clusters
    assert len(sent) <= 4, str(sent)
