"""The sweep, the queue, the monitor and the connections together."""

import threading

import pytest

from magnumlite import objects
from magnumlite.drivers import monitors
from magnumlite.drivers.k8s_monitor import K8sMonitor
from magnumlite.kubernetes import client
from magnumlite.kubernetes.client import Clients
from magnumlite.periodic import health
from magnumlite.periodic.health import HealthSweep
from magnumlite.periodic.queue import KeyedQueue
from tests.unit.drivers.simulated import rows
from tests.unit.kubernetes.apiserver import serving
from tests.unit.kubernetes.fixtures import pki, reads

__all__ = ["pki", "reads"]

WELL, SILENT = 24, 6


class Rounds:
    """Runs the sweep's checks in rounds, on the queue that the service uses."""

    def __init__(self):
        self.checked = threading.Semaphore(0)
        self.queue = KeyedQueue(
            "health",
            self._work,
            quick_slots=4,
            slow_lane=8,
            slow_after=0.1,
            backoff_min=10,
            backoff_max=300,
        )
        self.sweep = HealthSweep(self.queue, lambda uuid: True)
        self.queue.start()

    def _work(self, uuid):
        try:
            self.sweep.check(uuid)
        finally:
            self.checked.release()

    def run(self, uuids):
        for uuid in uuids:
            self.queue.add(uuid)
        for _ in uuids:
            assert self.checked.acquire(timeout=60)
        # A job is over a moment after it has said so; until then its key cannot be added.
        while self.queue.running():
            threading.Event().wait(0.01)


@pytest.fixture
def rounds(conf, database, monkeypatch):
    conf.set_override("read_timeout", 2, "health")
    clients = Clients()
    monkeypatch.setattr(client, "CLIENTS", clients)
    monkeypatch.setattr(health, "CLIENTS", clients)
    monkeypatch.setattr(
        monitors, "create_monitor", lambda context, cluster, _: K8sMonitor(context, cluster)
    )
    rounds = Rounds()
    yield rounds
    rounds.queue.stop()
    rounds.queue.wait(10)
    clients.keep_only([])


def test_a_second_sweep_costs_no_connection_no_handshake_and_no_certificate(
    rounds, context, admin, request
):
    # B11, B12, B42
    pki = request.getfixturevalue("pki")
    reads = request.getfixturevalue("reads")
    with serving(pki.server_context()) as well, serving(pki.server_context()) as silent:
        silent.answers["/healthz"] = lambda sock: None
        made = [
            rows.cluster(
                context,
                status="CREATE_COMPLETE",
                api_address=(well if number < WELL else silent).url,
                ca_cert_ref=f"ca-{number}",
                magnum_cert_ref=f"client-{number}",
            ).uuid
            for number in range(WELL + SILENT)
        ]
        rounds.run(made)
        assert (well.accepted, well.handshakes) == (WELL, WELL)
        assert len(reads) == 2 * (WELL + SILENT)
        for _ in range(2):
            rounds.run(made)
            assert (well.accepted, well.handshakes) == (WELL, WELL)
            assert len(reads) == 2 * (WELL + SILENT)
        ours = [t for t in threading.enumerate() if t.name.startswith("health")]
        assert len(ours) <= 4 + 8 + 1
        shown = {c.uuid: c for c in objects.Cluster.list(admin)}
        assert {shown[uuid].health_status for uuid in made[:WELL]} == {"HEALTHY"}
        for uuid in made[WELL:]:
            assert shown[uuid].health_status == "UNHEALTHY"
            assert "no answer in time" in shown[uuid].health_status_reason["api"]
