"""A small Kubernetes API per cluster, on loopback, that demands the cluster's client certificate.

All of a process's clusters are served by one thread. Its server certificate is signed by the
cluster's own Kubernetes CA, so a monitor that talks to it proves the whole chain.
"""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import ipaddress
import json
import socket
import ssl
import threading
from collections.abc import Coroutine
from typing import Any
from urllib.parse import urlsplit

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from oslo_log import log

from magnumlite import context as request_context
from magnumlite import objects
from magnumlite.certs import authority
from magnumlite.conf import CONF
from magnumlite.drivers.simulated.script import Script
from magnumlite.kubernetes.memfile import memfile

LOG = log.getLogger(__name__)

LOOPBACK = "127.0.0.1"
UNSERVED = f"https://{LOOPBACK}:6443"
START_TIMEOUT = 10.0


@dataclasses.dataclass
class _Running:
    """One cluster's server: what it was made from, where it listens, what stops it."""

    made_from: tuple[str | None, str]
    port: int
    server: asyncio.Server | None


class Servers:
    """The servers that this process runs. Safe for any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._running: dict[str, _Running] = {}

    def address(self, context: Any, cluster: Any) -> str:
        """Return the cluster's API address, after starting its server where there is none."""
        if not CONF.simulated.kubernetes_api:
            return cluster.api_address or UNSERVED
        with self._lock:
            port = self._ensure(context, cluster)
        return f"https://{LOOPBACK}:{port}"

    def ensure(self, context: Any, cluster: Any) -> None:
        """Serve the cluster at the address its row has, unless another process does."""
        if cluster.api_address:
            with self._lock:
                self._ensure(context, cluster)

    def stop(self, cluster_uuid: str) -> None:
        """Stop serving a cluster; nothing happens when this process does not."""
        with self._lock:
            self._stop(cluster_uuid)

    def close(self) -> None:
        """Stop serving every cluster."""
        with self._lock:
            for cluster_uuid in list(self._running):
                self._stop(cluster_uuid)

    def _ensure(self, context: Any, cluster: Any) -> int:
        made_from = (cluster.ca_cert_ref, Script.of(cluster).health)
        running = self._running.get(cluster.uuid)
        if running is not None and running.made_from == made_from:
            return running.port
        self._stop(cluster.uuid)
        wanted = running.port if running else urlsplit(cluster.api_address or "").port or 0
        try:
            listener = socket.create_server((LOOPBACK, wanted))
        except OSError as error:
            LOG.debug("Cluster %s is not served here: %s", cluster.uuid, error)
            return wanted
        port = int(listener.getsockname()[1])
        if made_from[1] == "down":
            listener.close()
            server = None
        else:
            try:
                server = self._run(_start(context, cluster, listener, made_from[1]))
            except BaseException:
                listener.close()
                raise
        self._running[cluster.uuid] = _Running(made_from, port, server)
        return port

    def _stop(self, cluster_uuid: str) -> None:
        running = self._running.pop(cluster_uuid, None)
        if running is not None and running.server is not None:
            self._run(_close(running.server))

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            self._loop.set_exception_handler(_report)
            threading.Thread(
                target=self._loop.run_forever, name="simulated-kubernetes", daemon=True
            ).start()
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(START_TIMEOUT)


SERVERS = Servers()


async def _start(
    context: Any, cluster: Any, listener: socket.socket, health: str
) -> asyncio.Server:
    if health == "silent":
        return await asyncio.start_server(_say_nothing, sock=listener)
    tls = await asyncio.to_thread(_tls, context, cluster)
    serve = functools.partial(_serve, cluster.uuid, health)
    return await asyncio.start_server(serve, sock=listener, ssl=tls)


async def _close(server: asyncio.Server) -> None:
    server.close()
    if hasattr(server, "close_clients"):
        server.close_clients()


def _report(loop: asyncio.AbstractEventLoop, failure: dict[str, Any]) -> None:
    LOG.debug("Simulated Kubernetes API: %s: %s", failure["message"], failure.get("exception"))


def _tls(context: Any, cluster: Any) -> ssl.SSLContext:
    key = _server_key()
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "kube-apiserver")])
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(LOOPBACK))])
    request = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(subject)
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    csr = request.public_bytes(serialization.Encoding.PEM).decode()
    certificate = authority.sign(cluster, csr, None, context)
    ca = authority.ca_certificate(cluster, context).get_certificate()
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.verify_mode = ssl.CERT_REQUIRED
    tls.load_verify_locations(cadata=ca if isinstance(ca, str) else ca.decode())
    pem = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    with memfile(pem + b"\n" + certificate) as path:
        tls.load_cert_chain(path)
    return tls


@functools.cache
def _server_key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


async def _say_nothing(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read()
    writer.close()


async def _serve(
    cluster_uuid: str, health: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split(b" ", 2)[1].decode()
            status, kind, body = await _answer(cluster_uuid, health, path)
            writer.write(
                f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n".encode()
                + body
            )
            await writer.drain()
    except (OSError, EOFError, IndexError, ValueError, asyncio.LimitOverrunError) as error:
        LOG.debug("Connection to the simulated API of cluster %s ended: %s", cluster_uuid, error)
    finally:
        writer.close()


async def _answer(cluster_uuid: str, health: str, path: str) -> tuple[str, str, bytes]:
    if path == "/healthz":
        return "200 OK", "text/plain", b"ok"
    if path == "/api/v1/nodes":
        items = await asyncio.to_thread(_nodes, cluster_uuid, health)
    elif path.startswith("/api/v1/namespaces/") and path.endswith("/pods"):
        items = []
    else:
        return "404 Not Found", "text/plain", b"404 page not found"
    return "200 OK", "application/json", json.dumps({"kind": "List", "items": items}).encode()


def _nodes(cluster_uuid: str, health: str) -> list[dict[str, Any]]:
    """Return a node for each of the nodegroups' nodes; one is not ready when health is unready."""
    admin = request_context.make_admin_context(all_tenants=True)
    names = [
        f"{group.name}-{number}"
        for group in objects.NodeGroup.list(admin, cluster_uuid)
        if group.status != "CREATE_IN_PROGRESS"
        for number in range(group.node_count)
    ]
    unready = names[-1] if names and health == "unready" else None
    return [
        {
            "metadata": {"name": name},
            "status": {
                "capacity": {"cpu": "2", "memory": "4Gi"},
                "conditions": [
                    {"type": "MemoryPressure", "status": "False"},
                    {"type": "Ready", "status": str(name != unready)},
                ],
            },
        }
        for name in names
    ]
