"""Health sweeps: a Kubernetes API for each cluster, with its own CA and mutual TLS."""

import json
import uuid
from typing import Any

from benchmarks import farm
from benchmarks.benchmark import benchmark, until
from benchmarks.figures import Figure, at_most, exactly, times_at_most
from benchmarks.processes import sampled, usage
from benchmarks.rig import Rig
from benchmarks.window import Window

SILENT = 30

#: The interval in which health is checked: the default of [kubernetes]health_polling_interval.
INTERVAL = 60


@benchmark(
    "health: second sweep of 300 clusters, own CA each, mutual TLS",
    Figure("cpu_s_sweep", "CPU of a sweep", "s", times_at_most(0.1)),
    Figure("connections", "TCP connections", "", exactly(0)),
    Figure("handshakes", "TLS handshakes", "", exactly(0)),
    Figure("certificate_reads", "certificates read from the store", "", exactly(0)),
    Figure("statements_sweep", "SQL statements"),
    Figure("healthy", "clusters HEALTHY", "", exactly(300)),
)
def health(rig: Rig) -> dict[str, Any]:
    return _sweep(rig, silent=0)


@benchmark(
    "health_hung: the same, 30 of them accept connections and say nothing",
    Figure("silent_unhealthy", "of the 30, UNHEALTHY with the cause", "", exactly(30)),
    Figure("healthy", "others HEALTHY", "", exactly(270)),
    Figure("peak_threads", "threads at most"),
    Figure("threads_growth", "growth of threads between two sweeps", "", at_most(5)),
    Figure("cpu_s_sweep", "CPU of a sweep", "s"),
)
def health_hung(rig: Rig) -> dict[str, Any]:
    return _sweep(rig, silent=rig.size(SILENT, quick=3))


def _sweep(rig: Rig, silent: int) -> dict[str, Any]:
    count = rig.size(300, quick=30)
    certificates = farm.certificates(count)
    pairs = []
    for cluster in certificates:
        for kind in ("ca", "client"):
            pairs.append(
                {
                    "uuid": str(uuid.uuid4()),
                    "certificate": cluster[kind],
                    "private_key": cluster[f"{kind}_key"],
                    "private_key_passphrase": cluster["passphrase"],
                }
            )
    rig.key_pairs(pairs)
    with farm.Farm(rig.directory / "farm.log", certificates, silent) as servers:
        uuids = rig.clusters(
            count,
            "CREATE_COMPLETE",
            more=lambda number: {
                "api_address": servers.address(number),
                "ca_cert_ref": pairs[2 * number]["uuid"],
                "magnum_cert_ref": pairs[2 * number + 1]["uuid"],
            },
        )
        conductor = rig.start()
        talking = range(silent, count)
        with sampled(conductor.pid) as sampler:
            conductor.wait_ready()
            if until(lambda: servers.asked(talking, 1), 90, 0.5) is None:
                raise RuntimeError("not all clusters were asked within 90 s")
            conductor.settle(10)
            before, reads = servers.events(), rig.rows_read("x509keypair")
            own_cpu = usage(servers.pid).cpu
            with Window(rig, conductor) as window:
                second = until(lambda: servers.asked(talking, 2), 2 * INTERVAL, 0.5)
                until(lambda: False, 5)
            own_cpu = usage(servers.pid).cpu - own_cpu
            reads = rig.rows_read("x509keypair") - reads
            after = servers.events()
        rows = rig.sql("SELECT uuid, health_status, health_status_reason FROM cluster")
    verdicts = {one: (verdict, json.loads(reason or "{}")) for one, verdict, reason in rows}

    def fresh(event: str) -> int:
        return sum(len(after[event, number]) - len(before[event, number]) for number in talking)

    said = [verdicts[one] for one in uuids[:silent]]
    last = sampler.samples[-1].time
    return {
        "second_sweep_s": second and window.wall,
        "cpu_s_sweep": window.cpu,
        "servers_cpu_s_sweep": own_cpu,
        "connections": fresh("accept"),
        "handshakes": fresh("handshake") + fresh("resumed"),
        "requests": fresh("/healthz") + fresh("/nodes"),
        "certificate_reads": reads,
        "statements_sweep": window.statements,
        "healthy": sum(verdicts[one][0] == "HEALTHY" for one in uuids[silent:]),
        "silent_unhealthy": sum(
            verdict == "UNHEALTHY" and bool(reason.get("api")) for verdict, reason in said
        ),
        "peak_threads": max(sample.threads for sample in sampler.samples),
        "threads_growth": min(s.threads for s in sampler.between(last - 3, last))
        - min(s.threads for s in sampler.between(last - window.wall - 3, last - window.wall)),
        "log_errors": conductor.errors(),
        **window.noise,
    }
