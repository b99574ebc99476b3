"""The ground that conductors are measured on: a broker, a database, a clean slate for each run."""

import json
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import amqp
import pymysql

from benchmarks import calls
from benchmarks.conductor import Conductor
from benchmarks.environment import Subject
from benchmarks.load import Calls, Casts, Load
from tests.servers.mariadb import MariaDB
from tests.servers.rabbitmq import RabbitMQ

DRIVER = Path(__file__).parent / "driver"
TEMPLATE = "7e3e7b0a-0000-4000-8000-000000000001"
CONFIGURATION = """\
[DEFAULT]
transport_url = {broker}
state_path = {state}

[oslo_concurrency]
lock_path = {state}

[oslo_messaging_notifications]
driver = messagingv2

[database]
connection = {database}

[conductor]
workers = {workers}

[certificates]
cert_manager_type = x509keypair

[keystone_auth]
auth_url = http://127.0.0.1:1/v3
auth_type = password
username = magnum
password = magnum
project_name = service
user_domain_name = Default
project_domain_name = Default
"""

#: What differs between the rows of a cluster, by its number.
Row = Callable[[int], Mapping[str, Any]]


class Rig:
    """RabbitMQ and MariaDB, and what a run needs on them."""

    def __init__(self, directory: Path, workers: int, quick: bool) -> None:
        self.directory = directory
        self.quick = quick
        self._workers = workers
        self._driver_log = directory / "driver.log"
        self._finish = directory / "finish"
        self._configuration = directory / "magnum.conf"
        self._command: tuple[str, ...] = ()
        self._conductors: list[Conductor] = []
        self._vhost = ""
        for name in ("rabbitmq", "mariadb", "state", "logs"):
            (directory / name).mkdir(mode=0o700)
        self.broker = RabbitMQ(directory / "rabbitmq")
        self.database = MariaDB(directory / "mariadb")
        self._connection: Any = None

    def __enter__(self) -> "Rig":
        """Start the servers and make the schema."""
        try:
            self.broker.start()
            self.database.start()
            self.database.create_database("magnum")
            # Three hosts may ask for more than the default of 151.
            self.database.execute("SET GLOBAL max_connections = 2000")
            self.database.execute("SET GLOBAL userstat = 1")
            self._configure()
            subprocess.run(
                [Path(sys.prefix) / "bin" / "magnumlite-db-manage", "--config-file",
                 self._configuration, "upgrade"],
                check=True, capture_output=True,
            )  # fmt: skip
            self._connection = pymysql.connect(
                host="127.0.0.1",
                port=self.database.port,
                user="magnum",
                password="magnum",
                database="magnum",
                autocommit=True,
            )
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *exc: object) -> None:
        self.end_conductors()
        if self._connection is not None:
            self._connection.close()
        self.database.close()
        self.broker.close()

    def size(self, full: int, quick: int) -> int:
        """Return how many of something this rig is to use."""
        return quick if self.quick else full

    # A run

    def fresh(self, subject: Subject) -> None:
        """Empty the tables, the broker and the driver's log for a run of a conductor."""
        self._command = subject.command
        for (table,) in self.sql("SHOW TABLES"):
            if not table.endswith("alembic_version"):
                self.sql(f"TRUNCATE TABLE `{table}`")
        self._insert("cluster_template", [_template()])
        if self._vhost:
            self.broker.delete_vhost(self._vhost)
        self._vhost = f"bench-{uuid.uuid4().hex[:8]}"
        self.broker.create_vhost(self._vhost)
        self._configure()
        shutil.rmtree(self._finish, ignore_errors=True)
        self._finish.mkdir()
        self._driver_log.write_text("")

    def start(self, host: str = "host-1") -> Conductor:
        """Start the conductor of this run on a host."""
        own = self.directory / f"{host}.conf"
        own.write_text(f"[DEFAULT]\nhost = {host}\n")
        conductor = Conductor(
            [*self._command, "--config-file", str(self._configuration), "--config-file", str(own)],
            {
                "BENCH_DRIVER_LOG": str(self._driver_log),
                "BENCH_FINISH": str(self._finish),
                "PYTHONPATH": str(DRIVER),
                "PYTHONDONTWRITEBYTECODE": "",  # as an installed service has it: compiled
            },
            self.directory / "logs" / f"{host}-{uuid.uuid4().hex[:8]}.log",
            self.broker.port,
            self._vhost,
        )
        self._conductors.append(conductor)
        return conductor

    def end_conductors(self) -> None:
        """Kill what a run has left."""
        for conductor in self._conductors:
            conductor.kill()
        self._conductors.clear()

    def load(self, job: Calls | Casts) -> Load:
        """Return a client process that is ready for a job."""
        return Load(self.broker.port, self._vhost, job)

    def driver_calls(self, kind: str) -> dict[str, list[calls.Call]]:
        """Return the calls that the driver got so far: create or poll."""
        return calls.read(self._driver_log, kind)

    def driver_called(self) -> bool:
        """Tell whether the driver got a call."""
        return self._driver_log.stat().st_size > 0

    def finish(self, cluster: str) -> None:
        """Let the next poll of a cluster find its operation complete."""
        (self._finish / cluster).touch()

    def notifications(self) -> list[dict[str, Any]]:
        """Take and return the notifications that were sent."""
        found = []
        with self.broker.connection(self._vhost) as connection, connection.channel() as channel:
            try:
                while message := channel.basic_get("notifications.info", no_ack=True):
                    found.append(json.loads(json.loads(message.body)["oslo.message"]))
            except amqp.exceptions.NotFound:
                return []
        return found

    # The database

    def sql(self, text: str, *parameters: object) -> Sequence[tuple[Any, ...]]:
        """Run a statement and return its rows."""
        with self._connection.cursor() as cursor:
            cursor.execute(text, parameters or None)
            rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
            return rows

    def count(self, table: str, where: str = "1") -> int:
        """Return how many rows of a table meet a condition."""
        return int(self.sql(f"SELECT COUNT(*) FROM `{table}` WHERE {where}")[0][0])

    def statements(self) -> int:
        """Return how many statements the database server has been sent."""
        return int(self.sql("SHOW GLOBAL STATUS LIKE 'Questions'")[0][1])

    def rows_read(self, table: str) -> int:
        """Return how many rows of a table the database server has read."""
        rows = self.sql(
            "SELECT rows_read FROM information_schema.table_statistics WHERE table_name = %s", table
        )
        return int(rows[0][0]) if rows else 0

    def clusters(
        self,
        count: int,
        status: str,
        labels: Row = lambda number: {},
        more: Row = lambda number: {},
    ) -> list[str]:
        """Insert clusters with their two nodegroups; return their uuids."""
        uuids = [str(uuid.uuid4()) for _ in range(count)]
        self._insert(
            "cluster",
            [
                {
                    "uuid": one,
                    "name": f"bench-{number}",
                    "project_id": "bench",
                    "user_id": "bench-user",
                    "cluster_template_id": TEMPLATE,
                    "status": status,
                    "stack_id": str(uuid.uuid4()),
                    "labels": json.dumps(labels(number)),
                    "create_timeout": 60,
                    "flavor_id": "m1.small",
                    "master_flavor_id": "m1.small",
                    "floating_ip_enabled": 1,
                    "master_lb_enabled": 0,
                    **more(number),
                }
                for number, one in enumerate(uuids)
            ],
        )
        self._insert(
            "nodegroup",
            [
                {
                    "uuid": str(uuid.uuid4()),
                    "name": f"default-{role}",
                    "cluster_id": one,
                    "project_id": "bench",
                    "role": role,
                    "node_count": 1,
                    "is_default": 1,
                    "labels": "{}",
                    "node_addresses": "[]",
                    "status": status,
                }
                for one in uuids
                for role in ("master", "worker")
            ],
        )
        return uuids

    def key_pairs(self, rows: Sequence[Mapping[str, Any]]) -> None:
        """Insert certificates into the store that is in the database."""
        self._insert(
            "x509keypair", [{"project_id": "bench", "user_id": "b", **row} for row in rows]
        )

    def _insert(self, table: str, rows: Sequence[Mapping[str, Any]]) -> None:
        names = ", ".join(f"`{name}`" for name in rows[0])
        places = ", ".join("%s" for _ in rows[0])
        with self._connection.cursor() as cursor:
            cursor.executemany(
                f"INSERT INTO `{table}` ({names}, created_at) VALUES ({places}, UTC_TIMESTAMP())",
                [tuple(row.values()) for row in rows],
            )

    def _configure(self) -> None:
        self._configuration.write_text(
            CONFIGURATION.format(
                broker=self.broker.vhost_url(self._vhost),
                database=self.database.database_url("magnum"),
                state=self.directory / "state",
                workers=self._workers,
            )
        )


def _template() -> dict[str, Any]:
    return {
        "uuid": TEMPLATE,
        "name": "bench",
        "project_id": "bench",
        "user_id": "bench-user",
        "cluster_distro": "bench",
        "coe": "kubernetes",
        "server_type": "vm",
        "labels": "{}",
        "image_id": "image",
        "flavor_id": "m1.small",
        "master_flavor_id": "m1.small",
        "driver": "k8s_bench_v1",
        "public": 1,
    }
