"""Kubernetes APIs that are not there: a port and a CA for each cluster, mutual TLS."""

import asyncio
import datetime
import ipaddress
import json
import multiprocessing
import os
import secrets
import socket
import ssl
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from cryptography import x509 as x509_library
from cryptography.x509.oid import ExtendedKeyUsageOID

from benchmarks.environment import cache
from magnumlite import conf
from magnumlite.certs import x509

NODES = json.dumps(
    {
        "kind": "NodeList",
        "items": [
            {
                "metadata": {"name": f"node-{number}"},
                "status": {
                    "conditions": [
                        {"type": "MemoryPressure", "status": "False"},
                        {"type": "Ready", "status": "True"},
                    ]
                },
            }
            for number in range(3)
        ],
    }
)

#: Seconds that an API takes to say that it is well.
THINKS = 0.02

Certificates = dict[str, str]

_spawn = multiprocessing.get_context("spawn")


def certificates(count: int) -> list[Certificates]:
    """Return the certificates of so many clusters; made at the first time, which takes a minute."""
    kept = cache() / "certificates.json"
    if kept.exists() and len(found := json.loads(kept.read_text())) >= count:
        return found[:count]
    with _spawn.Pool() as pool:
        made = pool.map(_make, range(count), 5)
    kept.touch(0o600)
    kept.write_text(json.dumps(made))
    return made


def _make(number: int) -> Certificates:
    """Make what the certificate store holds of a cluster, and its API's own certificate."""
    conf.parse([], default_config_files=[])
    passphrase = secrets.token_urlsafe(18)
    ca_key, client_key, server_key = x509.generate_keys(3)
    ca = x509.ca_certificate(x509.common_name(f"bench-{number}"), ca_key)
    issuer = x509.Issuer.of(ca, ca_key)
    client = x509.client_certificate(
        x509.client_name("admin", "system:masters"), client_key, issuer
    )
    loopback = x509_library.IPAddress(ipaddress.ip_address("127.0.0.1"))
    extensions = [
        x509_library.SubjectAlternativeName([loopback]),
        x509_library.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]),
    ]
    server = x509.sign(
        x509.common_name("kube-apiserver"),
        server_key.public_key(),
        [x509_library.Extension(one.oid, False, one) for one in extensions],
        issuer,
    )
    return {
        "made": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "passphrase": passphrase,
        "ca": x509.certificate_pem(ca).decode(),
        "ca_key": x509.key_pem(ca_key, passphrase).decode(),
        "client": x509.certificate_pem(client).decode(),
        "client_key": x509.key_pem(client_key, passphrase).decode(),
        "server": x509.certificate_pem(server).decode(),
        "server_key": x509.key_pem(server_key).decode(),
    }


class Farm:
    """The APIs of some clusters, in a process of their own.

    The first `silent` of them accept connections and never say anything. Events are accept,
    handshake, resumed (a handshake that resumed a session), tls-error, /healthz, /nodes and close.
    """

    def __init__(self, log: Path, clusters: Sequence[Certificates], silent: int) -> None:
        self._log = log
        self._listeners = [
            socket.create_server(("127.0.0.1", 0), backlog=64) for _ in range(len(clusters))
        ]
        self._process = _spawn.Process(
            target=_serve, args=(log, self._listeners, list(clusters), silent), daemon=True
        )

    def __enter__(self) -> "Farm":
        self._log.write_text("")
        self._process.start()
        for listener in self._listeners:
            listener.setblocking(False)
        return self

    def __exit__(self, *exc: object) -> None:
        self._process.kill()
        self._process.join()
        for listener in self._listeners:
            listener.close()

    @property
    def pid(self) -> int:
        """The process of the APIs."""
        assert self._process.pid is not None
        return self._process.pid

    def address(self, number: int) -> str:
        """Return the API address of a cluster."""
        return f"https://127.0.0.1:{self._listeners[number].getsockname()[1]}"

    def events(self) -> dict[tuple[str, int], list[float]]:
        """Return when each event happened, by event and the cluster's number."""
        events: dict[tuple[str, int], list[float]] = defaultdict(list)
        for line in self._log.read_text().splitlines():
            event, when, number = line.split()
            events[event, int(number)].append(float(when))
        return events

    def asked(self, numbers: Iterable[int], times: int) -> bool:
        """Tell whether all of these clusters were asked for their nodes so often."""
        events = self.events()
        return all(len(events["/nodes", number]) >= times for number in numbers)


def _serve(
    log: Path, listeners: list[socket.socket], clusters: list[Certificates], silent: int
) -> None:
    asyncio.run(_serve_all(log, listeners, clusters, silent))


async def _serve_all(
    log: Path, listeners: list[socket.socket], clusters: list[Certificates], silent: int
) -> None:
    events = os.open(log, os.O_WRONLY | os.O_APPEND)
    apis = []
    for number, (listener, cluster) in enumerate(zip(listeners, clusters, strict=True)):
        listener.setblocking(False)
        context = None if number < silent else _context(cluster)
        apis.append(_Api(number, events, listener, context).serve())
    await asyncio.gather(*apis)


def _context(cluster: Certificates) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_verify_locations(cadata=cluster["ca"])
    with tempfile.NamedTemporaryFile("w") as chain:
        chain.write(f"{cluster['server_key']}\n{cluster['server']}\n")
        chain.flush()
        context.load_cert_chain(chain.name)
    return context


class _Api:
    """One cluster's API; without an SSL context it keeps connections and says nothing."""

    def __init__(
        self, number: int, log: int, listener: socket.socket, context: ssl.SSLContext | None
    ) -> None:
        self._number, self._log = number, log
        self._listener, self._context = listener, context
        self._kept: set[Any] = set()

    def tell(self, event: str) -> None:
        os.write(self._log, f"{event} {time.time():.6f} {self._number}\n".encode())

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            connection, _ = await loop.sock_accept(self._listener)
            self.tell("accept")
            if self._context is None:
                self._kept.add(connection)
                continue
            task = asyncio.create_task(self._shake(connection))
            self._kept.add(task)
            task.add_done_callback(self._kept.discard)

    async def _shake(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: _Talk(self.tell), connection, ssl=self._context
            )
        except OSError:
            self.tell("tls-error")


class _Talk(asyncio.Protocol):
    """One connection."""

    def __init__(self, tell: Any) -> None:
        self._tell = tell
        self._received = b""
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        resumed = transport.get_extra_info("ssl_object").session_reused
        self._tell("resumed" if resumed else "handshake")

    def data_received(self, data: bytes) -> None:
        self._received += data
        while b"\r\n\r\n" in self._received:
            head, self._received = self._received.split(b"\r\n\r\n", 1)
            if head.split(b" ", 2)[1] == b"/healthz":
                self._tell("/healthz")
                loop = asyncio.get_running_loop()
                loop.call_later(THINKS, self._answer, "text/plain", "ok")
            else:
                self._tell("/nodes")
                self._answer("application/json", NODES)

    def _answer(self, kind: str, body: str) -> None:
        if not self._transport.is_closing():
            head = f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}"
            self._transport.write(f"{head}\r\n\r\n{body}".encode())

    def connection_lost(self, error: Exception | None) -> None:
        self._tell("close")
