"""The conductor, its periodic tasks and a database as threads of this process."""

from __future__ import annotations

import sys
from pathlib import Path

from magnumlite import conf, objects
from magnumlite.conductor.service import Conductor
from magnumlite.db import engine, schema
from magnumlite.periodic.service import Periodic
from magnumlite.rpc import transport

HOST = "sandbox"

_CONFIGURATION = """\
[DEFAULT]
host = {host}
transport_url = fake://
state_path = {directory}
log_file = {directory}/conductor.log
use_stderr = false

[database]
connection = sqlite:///{directory}/magnum.sqlite

[oslo_concurrency]
lock_path = {directory}/locks

[oslo_messaging_notifications]
driver = messagingv2

[certificates]
cert_manager_type = x509keypair

[quotas]
max_clusters_per_project = {clusters}

[sync]
interval = 1

[kubernetes]
health_polling_interval = 2

[simulated]
delay = 1
kubernetes_api = {kubernetes_api}
"""

# Each simulated Kubernetes API is a server with threads: a few are a show, many a load.
_MOST_KUBERNETES_APIS = 8


class House:
    """A magnum with nothing around it, in one directory.

    Post: the directory holds magnum.conf, magnum.sqlite and conductor.log, which the other
    commands can be pointed at.
    """

    def __init__(self, directory: Path, clusters: int, config_files: list[Path]) -> None:
        """Prepare for `clusters` clusters; options of `config_files` win over the sandbox's."""
        self.directory = directory
        self.log = directory / "conductor.log"
        self._config_files = [directory / "magnum.conf", *config_files]
        self._clusters = clusters
        self._conductor: Conductor | None = None
        self._periodic: Periodic | None = None

    def open(self, *, sweeping: bool = True) -> None:
        """Write the configuration, make the database and start the threads.

        sweeping: whether the periodic tasks run, too.

        Raises: ConfigInvalid, SchemaMismatch.
        """
        self.directory.mkdir(parents=True, exist_ok=True)
        self._config_files[0].write_text(
            _CONFIGURATION.format(
                host=HOST,
                directory=self.directory,
                clusters=max(20, self._clusters),
                kubernetes_api=self._clusters <= _MOST_KUBERNETES_APIS,
            )
        )
        conf.parse([f"--config-file={path}" for path in self._config_files])
        # oslo.log would write an error of the sandbox's own to the log file only.
        sys.excepthook = sys.__excepthook__
        objects.register_all()
        schema.upgrade()
        conductor = Conductor(HOST, 0)
        conductor.start()
        self._conductor = conductor
        if not sweeping:
            return
        periodic = Periodic(HOST, conductor.consuming)
        periodic.start()
        self._periodic = periodic

    def close(self, patience: float | None = None) -> None:
        """Stop the threads and give back the connections.

        patience: seconds that driver calls get to return; None: all the time they need.
        """
        if self._periodic is not None:
            self._periodic.stop()
            self._periodic.wait()
        if self._conductor is not None:
            self._conductor.stop(patience)
        transport.cleanup()
        engine.dispose()
