"""A cloud with magnum: the real magnum-api in both its modes, and a conductor of ours or theirs."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql
import sqlalchemy as sa
from cryptography import x509
from keystoneauth1 import session as ka_session
from keystoneauth1.identity import v3
from magnumclient.v1.client import Client

from tests.interop.peers.cloud import Cloud
from tests.interop.peers.environment import DRIVERS, PeerEnvironment, variables
from tests.servers import daemon
from tests.servers.daemon import Daemon, answers, free_port

ROOT = Path(__file__).parents[3]
SECONDS = 90  # that a test waits for what must come

HOST = "host"

CONFIGURATION = """\
[DEFAULT]
host = {host}
transport_url = {broker}
state_path = {directory}
[oslo_concurrency]
lock_path = {directory}/locks
[oslo_messaging_notifications]
driver = messagingv2
[database]
connection = {database}
[api]
host = 127.0.0.1
port = {port}
workers = 1
api_paste_config = {peer}/etc/magnum/api-paste.ini
[conductor]
workers = 1
[certificates]
cert_manager_type = x509keypair
[cinder_client]
region_name = RegionOne
[sync]
interval = 1
[health]
connect_timeout = 1
[keystone_authtoken]
www_authenticate_uri = {keystone}
auth_url = {keystone}
auth_type = password
username = magnum
password = magnum
project_name = service
user_domain_name = Default
project_domain_name = Default
[keystone_auth]
auth_url = {keystone}
auth_type = password
username = magnum
password = magnum
project_name = service
user_domain_name = Default
project_domain_name = Default
"""


class Process(Daemon):
    """One process of the deployment, with its own port and its own log."""

    def __init__(
        self,
        name: str,
        directory: Path,
        command: Callable[[int], Sequence[str]],
        ready: Callable[[int], bool] = answers,
        **more: str,
    ) -> None:
        directory.mkdir()
        self.name = name  # type: ignore[misc]
        super().__init__(directory)
        self._command, self._ready, self._more = command, ready, more

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def prepare(self) -> None:
        """Nothing: it has no data of its own."""

    def environment(self) -> Mapping[str, str]:
        return variables(**self._more)

    def command(self) -> Sequence[str]:
        return self._command(self.port)

    def ready(self) -> bool:
        return self._ready(self.port)


class Deployment:
    """Everything that one broker and one database serve.

    `consumers` tells how many take messages from the conductors' queue.
    """

    def __init__(
        self,
        directory: Path,
        peer: PeerEnvironment,
        cloud: Cloud,
        broker: str,
        database: str,
        consumers: Callable[[], int],
    ) -> None:
        self.directory, self.peer, self.cloud = directory, peer, cloud
        self.broker, self.database = broker, database
        self.calls_log = directory / "driver-calls"
        self.calls_log.touch()
        self.consumers = consumers

    def magnum_conductor(self, host: str = HOST) -> Process:
        """Return magnum's own conductor."""
        return self._conductor("theirs", host, [self.peer.program("magnum-conductor")])

    def our_conductor(self, host: str = HOST) -> Process:
        """Return our conductor."""
        command = [sys.executable, "-m", "magnumlite.cmd.conductor"]
        return self._conductor("ours", host, command, ROOT)

    def _conductor(self, name: str, host: str, command: Sequence[str], *path: Path) -> Process:
        places = ":".join(map(str, (*path, DRIVERS)))
        others = self.consumers()
        return Process(
            name,
            self.directory / name,
            lambda port: [*command, "--config-file", self.configuration(name, port, host)],
            lambda port: self.consumers() > others,
            PRETENDER_LOG=str(self.calls_log),
            PYTHONPATH=places,
        )

    def api(self, mode: str) -> Process:
        """Return a magnum-api; `rpc` has the conductor read the database, `wsgi` does itself."""

        def command(port: int) -> list[str]:
            options = ["--config-file", self.configuration(f"api-{mode}", port)]
            if mode == "rpc":
                return [self.peer.program("magnum-api"), *options]
            serve = str(Path(__file__).parent / "wsgi_api.py")
            return [self.peer.program("python"), serve, str(port), *options]

        return Process(f"api-{mode}", self.directory / f"api-{mode}", command)

    def configuration(self, name: str, port: int, host: str = HOST) -> str:
        """Write a process's configuration and return its path."""
        path = self.directory / f"{name}.conf"
        path.write_text(
            CONFIGURATION.format(
                host=host,
                port=port,
                broker=self.broker,
                database=self.database,
                directory=self.directory,
                peer=self.peer.root,
                keystone=self.cloud.auth_url,
            )
        )
        return str(path)

    def make_database(self) -> None:
        """Have magnum make its tables."""
        path = self.configuration("db-manage", free_port())
        self.peer.run("magnum-db-manage", "--config-file", path, "upgrade")

    def rows(self, query: str, *parameters: object) -> list[dict[str, Any]]:
        """Run a query on the database."""
        where = daemon_address(self.database)
        connection = pymysql.connect(
            **where, autocommit=True, cursorclass=pymysql.cursors.DictCursor
        )
        with connection, connection.cursor() as cursor:
            cursor.execute(query, parameters)
            return list(cursor.fetchall())

    def begun(self, user: User, name: str, template: Any) -> str:
        """Have a cluster created and wait until its driver was asked; return its uuid.

        Magnum's conductor makes its nodegroups row by row, and while one is missing the API
        answers 400.
        """
        uuid = user.create(name, template)
        assert daemon.wait(lambda: self.driver_calls(uuid) == ["create"], SECONDS)
        return uuid

    def driver_calls(self, cluster: str) -> list[str]:
        """Return the operations that drivers were asked for, in order."""
        return [line["operation"] for line in self._calls() if line["cluster"] == cluster]

    def drivers(self) -> set[int]:
        """Return the processes whose drivers were asked for something."""
        return {line["pid"] for line in self._calls()}

    def _calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.calls_log.read_text().splitlines()]


def daemon_address(url: str) -> dict[str, Any]:
    """Return pymysql's arguments for an SQLAlchemy URL of MariaDB."""
    parts = sa.make_url(url)
    return {
        "host": parts.host,
        "port": parts.port,
        "user": parts.username,
        "password": parts.password,
        "database": parts.database,
    }


class User:
    """One Keystone user at one magnum-api: the real client, and raw requests."""

    def __init__(self, cloud: Cloud, api: str, name: str, project: str = "demo") -> None:
        self._api = api
        self._session = ka_session.Session(
            v3.Password(
                auth_url=cloud.auth_url,
                username=name,
                password="x",
                project_name=project,
                user_domain_name="Default",
                project_domain_name="Default",
            )
        )
        self.magnum = Client(session=self._session, magnum_url=f"{api}/v1", api_version="1.14")

    def raw(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send a request and return status and body."""
        headers = {"OpenStack-API-Version": "container-infra 1.14", "Accept": "application/json"}
        response = self._session.request(
            f"{self._api}/v1/{path}", method, json=body, raise_exc=False, headers=headers
        )
        try:
            return response.status_code, response.json()
        except ValueError:
            return response.status_code, None

    def template(self, name: str, **values: Any) -> Any:
        given = {"image_id": "ubuntu", "flavor_id": "small", "master_flavor_id": "small"} | values
        return self.magnum.cluster_templates.create(
            name=name,
            external_network_id="public",
            coe="kubernetes",
            keypair_id="key",
            labels={"a": "b"},
            **given,
        )

    def create(self, name: str, template: Any, **values: Any) -> str:
        """Ask for a cluster and return its uuid."""
        given = {"node_count": 2, "master_count": 1, "keypair": "key", "create_timeout": 60}
        uuid: str = self.magnum.clusters.create(
            name=name, cluster_template_id=template.uuid, **(given | values)
        ).uuid
        return uuid

    def resize(self, uuid: str, count: int) -> None:
        """Have a cluster resized and wait until a conductor has taken the request."""
        self.magnum.clusters.resize(uuid, count)
        assert daemon.wait(lambda: self.show(uuid)["node_count"] == count, SECONDS)

    def show(self, uuid: str) -> dict[str, Any]:
        """Return the cluster; its status is "gone" when there is none."""
        status, body = self.raw("GET", f"clusters/{uuid}")
        if status == 404:
            return {"status": "gone"}
        assert status == 200, body
        shown: dict[str, Any] = body
        return shown

    def wait(self, uuid: str, *wanted: str) -> dict[str, Any]:
        """Wait until the cluster has one of the statuses, and return it."""
        found: dict[str, Any] = {}

        def there() -> bool:
            found.clear()
            found.update(self.show(uuid))
            return found["status"] in wanted

        assert daemon.wait(there, SECONDS, 0.2), f"wanted {wanted}, found {found}"
        return found


def ca(user: User, uuid: str, kind: str = "") -> x509.Certificate:
    """Return one of a cluster's CAs."""
    query = f"?ca_cert_type={kind}" if kind else ""
    status, body = user.raw("GET", f"certificates/{uuid}{query}")
    assert status == 200, body
    return x509.load_pem_x509_certificate(body["pem"].encode())


def refused(answer: tuple[int, Any], code: int) -> str:
    """Return the text of a refusal, which has that HTTP code and shows nothing of the code."""
    status, body = answer
    assert status == code, body
    shown = json.dumps(body)
    assert not any(word in shown for word in ("Traceback", "magnum.common", "magnumlite"))
    return told(body)


def told(body: Any) -> str:
    """Return the text of an error that the API answered."""
    error = body["errors"][0]
    return str(error.get("detail") or error.get("title"))
