"""A private RabbitMQ with an epmd of its own."""

import contextlib
import json
import secrets
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import amqp
import psutil

from tests.servers.daemon import Daemon, answers, free_port, program, wait

CONFIGURATION = """\
loopback_users.guest = true
vm_memory_high_watermark.absolute = 1GB
disk_free_limit.absolute = 50MB
"""


class Queue(NamedTuple):
    """What the broker tells of a queue at this moment."""

    messages: int  # ready to be taken: not those already with a consumer
    consumers: int


class RabbitMQ(Daemon):
    """RabbitMQ on loopback; queues and messages that are durable survive kill and start."""

    name = "rabbitmq"

    def __init__(self, directory: Path) -> None:
        """Find the programs. Raises: Missing."""
        super().__init__(directory)
        # The wrapper in /usr/sbin insists on root or the user rabbitmq; this does not.
        self._bin = Path(
            program("rabbitmq-server", "rabbitmq-server", "/usr/lib/rabbitmq/bin")
        ).parent
        self._epmd_program = program("epmd", "erlang-base")
        self._epmd_port = free_port()
        self._distribution_port = free_port()
        self._epmd: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The transport URL of the virtual host "/"."""
        return self.vhost_url("")

    def vhost_url(self, vhost: str) -> str:
        """Return the transport URL of a virtual host."""
        return f"rabbit://guest:guest@127.0.0.1:{self.port}/{vhost}"

    def prepare(self) -> None:
        """Write configuration, plugin list and cookie."""
        (self.directory / "rabbitmq.conf").write_text(CONFIGURATION)
        (self.directory / "enabled_plugins").write_text("[].\n")
        cookie = self.directory / ".erlang.cookie"
        cookie.write_text(secrets.token_hex(20))
        cookie.chmod(0o400)

    def environment(self) -> Mapping[str, str]:
        """Return RabbitMQ's settings; its scripts also read unprefixed names such as LOGS."""
        place = self.directory
        return {
            **super().environment(),
            "ERL_EPMD_PORT": str(self._epmd_port),
            "ERL_EPMD_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODENAME": "magnumlite@localhost",
            "RABBITMQ_NODE_IP_ADDRESS": "127.0.0.1",
            "RABBITMQ_NODE_PORT": str(self.port),
            "RABBITMQ_DIST_PORT": str(self._distribution_port),
            "RABBITMQ_CONF_ENV_FILE": "/dev/null",
            "RABBITMQ_CONFIG_FILE": str(place / "rabbitmq"),
            "RABBITMQ_ENABLED_PLUGINS_FILE": str(place / "enabled_plugins"),
            "RABBITMQ_MNESIA_BASE": str(place / "mnesia"),
            "RABBITMQ_LOG_BASE": str(place / "log"),
            "RABBITMQ_PID_FILE": str(place / "pid"),
            # Idle schedulers sleep: a waiting broker must not cost a core.
            "RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS": "-kernel inet_dist_use_interface {127,0,0,1}"
            " +S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none",
        }

    def command(self) -> Sequence[str]:
        """Return the server's command; its epmd runs from here on.

        Without one the server would start an epmd that outlives it.
        """
        if self._epmd is None or self._epmd.poll() is not None:
            self._epmd = self.launch(
                [self._epmd_program, "-port", str(self._epmd_port), "-address", "127.0.0.1"],
                self.directory / "epmd.log",
                "KILL",
            )
            wait(lambda: answers(self._epmd_port), 10)
        return [str(self._bin / "rabbitmq-server")]

    def ready(self) -> bool:
        """Tell whether it is worth asking: the port opens last."""
        return answers(self.port)

    def close(self) -> None:
        """End the broker, then its epmd."""
        super().close()
        if self._epmd is not None:
            self._epmd.kill()
            self._epmd.wait(10)

    def create_vhost(self, vhost: str) -> None:
        """Make a virtual host and let guest use it."""
        self._evaluate(
            f'rabbit_vhost:add(<<"{vhost}">>, <<"tests">>), '
            f'rabbit_auth_backend_internal:set_permissions(<<"guest">>, <<"{vhost}">>, '
            '<<".*">>, <<".*">>, <<".*">>, <<"tests">>)'
        )

    def delete_vhost(self, vhost: str) -> None:
        """Remove a virtual host with its queues; its connections are closed."""
        self._evaluate(f'rabbit_vhost:delete(<<"{vhost}">>, <<"tests">>)')

    def flush(self) -> None:
        """Put on disk what was declared until now.

        RabbitMQ writes confirmed messages at once but queues, bindings and virtual
        hosts a little later: a test that kills it and counts on them calls this before.
        """
        self._evaluate("mnesia:sync_log()")

    def queue(self, vhost: str, name: str) -> Queue | None:
        """Return the state of a queue, None when there is no such queue."""
        with self.connection(vhost) as connection:
            try:
                state = connection.channel().queue_declare(name, passive=True)
            except amqp.NotFound:
                return None
            return Queue(state.message_count, state.consumer_count)

    def queues(self, vhost: str) -> set[str]:
        """Return the names of the queues of a virtual host."""
        return {row["name"] for row in self._rows("list_queues", "-p", vhost, "name")}

    def consumer_pids(self, vhost: str, queue: str) -> list[int]:
        """Return the process id that holds each consumer of a queue, sorted."""
        channels = {
            row["pid"]: row["connection"]
            for row in self._rows("list_channels", "-p", vhost, "pid", "connection")
        }
        ports = {
            row["pid"]: row["peer_port"]
            for row in self._rows("list_connections", "pid", "peer_port")
        }
        owners = {
            entry.laddr.port: entry.pid
            for entry in psutil.net_connections("tcp")
            if entry.raddr and entry.raddr.port == self.port
        }
        return sorted(
            owners[ports[channels[row["channel_pid"]]]]
            for row in self._rows("list_consumers", "-p", vhost, "queue_name", "channel_pid")
            if row["queue_name"] == queue
        )

    def close_connections(self, vhost: str) -> None:
        """Cut all client connections of a virtual host."""
        self.ctl("close_all_connections", "-p", vhost, "cut by a test")

    def ctl(self, *arguments: str) -> str:
        """Run rabbitmqctl (a third of a second) and return its output."""
        return self.run([str(self._bin / "rabbitmqctl"), "-q", *arguments])

    @contextlib.contextmanager
    def connection(self, vhost: str) -> Any:
        """Open an AMQP connection to a virtual host."""
        client = amqp.Connection(f"127.0.0.1:{self.port}", virtual_host=vhost, connect_timeout=10)
        client.connect()
        try:
            yield client
        finally:
            with contextlib.suppress(OSError, amqp.AMQPError):
                client.close()

    def _rows(self, *arguments: str) -> list[dict[str, Any]]:
        rows: list[dict[str, Any]] = json.loads(self.ctl("--formatter", "json", *arguments))
        return rows

    def _evaluate(self, expression: str) -> None:
        self.ctl("eval", f"{expression}.")
