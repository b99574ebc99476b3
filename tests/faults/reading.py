"""Reads an object every 100 ms, from a process of its own: what it measures is not its callers'.

`python -m tests.faults.reading TRANSPORT_URL CLUSTER` reads until its standard input ends, then
prints a list of the seconds that each read took, in their order.
"""

from __future__ import annotations

import concurrent.futures
import json
import select
import subprocess
import sys
import time
import uuid
from typing import Any

from magnumlite import conf as options
from magnumlite import objects
from magnumlite.context import RequestContext
from magnumlite.objects.base import MagnumObjectRegistry
from magnumlite.rpc import client
from tests.conftest import PROJECT, USER
from tests.faults.fleet import ROOT

#: Seconds between two reads; a slow answer delays no later question.
PACE = 0.1


class Reading:
    """A process that reads a cluster; see the module."""

    def __init__(self, transport_url: str, cluster: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", __name__, transport_url, cluster],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "reading\n"

    def stop(self) -> list[float]:
        """Return the seconds that each read took."""
        told, _ = self._process.communicate(timeout=120)
        assert self._process.returncode == 0
        # Libraries may have logged there, too.
        took: list[float] = json.loads(told.splitlines()[-1])
        return took


def read(cluster: str) -> Any:
    """Return a cluster as magnum-api reads it, over indirection."""
    context = RequestContext(
        user_id=USER,
        project_id=PROJECT,
        is_admin=False,
        overwrite=False,
        request_id=f"req-{uuid.uuid4()}",
    )
    versions = {
        name: kinds[0].VERSION for name, kinds in MagnumObjectRegistry.obj_classes().items()
    }
    return client.API(context, timeout=60).object_class_action_versions(
        context, "Cluster", "get_by_uuid", versions, (cluster,), {}
    )


def _timed(cluster: str) -> float:
    begun = time.monotonic()
    read(cluster)
    return time.monotonic() - begun


def main(transport_url: str, cluster: str) -> None:
    """Read until standard input ends."""
    options.parse([], default_config_files=[])
    options.CONF.set_override("transport_url", transport_url)
    options.CONF.set_override("amqp_durable_queues", True, "oslo_messaging_rabbit")
    objects.register_all()
    with concurrent.futures.ThreadPoolExecutor(32) as threads:
        # Connections are made before anything is measured.
        list(threads.map(_timed, [cluster] * 8))
        sys.stdout.write("reading\n")
        sys.stdout.flush()
        asked = []
        while not select.select([sys.stdin], [], [], PACE)[0]:
            asked.append(threads.submit(_timed, cluster))
        took = [one.result() for one in asked]
        sys.stdout.write(f"\n{json.dumps(took)}\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
