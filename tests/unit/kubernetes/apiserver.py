"""A scripted API server on loopback: mutual TLS or plain HTTP, counting what happens to it."""

import contextlib
import datetime
import ipaddress
import json
import socket
import ssl
import threading
import types
from collections.abc import Iterator
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID

from magnumlite.kubernetes.memfile import memfile

NODES = {
    "kind": "NodeList",
    "items": [
        {
            "metadata": {"name": f"node-{number}"},
            "status": {
                "capacity": {"cpu": "2", "memory": "4Gi"},
                "conditions": [
                    {"type": "MemoryPressure", "status": "False"},
                    {"type": "Ready", "status": "True"},
                ],
            },
        }
        for number in range(3)
    ],
}


class Pki:
    """A cluster's CA, server and client certificate, without any of the project's own code."""

    def __init__(self, server_name: str = "127.0.0.1") -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        self.ca = self._make("ca", self._key.public_key(), ca=True)
        self.server = self._leaf("kube-apiserver", server_name)
        self.client = self._leaf("admin", None)

    def _leaf(self, name: str, address: str | None) -> tuple[bytes, bytes]:
        key = rsa.generate_private_key(65537, 2048)
        certificate = self._make(name, key.public_key(), address=address)
        pem = key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
        return certificate, pem

    def _make(
        self, name: str, public_key: Any, ca: bool = False, address: str | None = None
    ) -> bytes:
        now = datetime.datetime.now(datetime.UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca")]))
            .public_key(public_key)
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=10))
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        )
        if address:
            names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address(address))])
            builder = builder.add_extension(names, critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def server_context(self) -> ssl.SSLContext:
        """Demands a client certificate of this CA."""
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.verify_mode = ssl.CERT_REQUIRED
        tls.load_verify_locations(cadata=self.ca.decode())
        with memfile(b"\n".join(reversed(self.server))) as path:
            tls.load_cert_chain(path)
        return tls

    def client_context(self) -> ssl.SSLContext:
        """Trusts this CA only and shows its client certificate."""
        tls = ssl.create_default_context(cadata=self.ca.decode())
        with memfile(b"\n".join(reversed(self.client))) as path:
            tls.load_cert_chain(path)
        return tls


class ApiServer:
    """Answers as `answers` says: path to (status, body), or a callable that takes the socket."""

    def __init__(self, tls: ssl.SSLContext | None, host: str = "127.0.0.1") -> None:
        self.tls = tls
        self.answers: dict[str, Any] = {
            "/healthz": ("200 OK", b"ok"),
            "/api/v1/nodes": ("200 OK", json.dumps(NODES).encode()),
        }
        self.accepted = 0
        self.handshakes = 0
        self.resumed = 0
        self.requests: list[str] = []
        self.open: list[socket.socket] = []
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, 0), family=family)
        self.port = self._listener.getsockname()[1]
        shown = f"[{host}]" if ":" in host else host
        self.url = f"{'https' if tls else 'http'}://{shown}:{self.port}"
        self._thread = threading.Thread(target=self._accept, daemon=True)
        self._thread.start()

    def nodes(self, items: list[Any]) -> None:
        """List these nodes from now on."""
        self.answers["/api/v1/nodes"] = ("200 OK", json.dumps({"items": items}).encode())

    def cut(self) -> None:
        """Cut every open connection, as a load balancer does with idle ones."""
        while self.open:
            connection = self.open.pop()
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
            connection.close()

    def close(self) -> None:
        """Refuse connections from now on."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError, ValueError):
            if self.tls is not None:
                tls = self.tls.wrap_socket(connection, server_side=True)
                connection = tls
                self.handshakes += not tls.session_reused
                self.resumed += bool(tls.session_reused)
            self.open.append(connection)
            buffer = b""
            while piece := connection.recv(65536):
                buffer += piece
                while b"\r\n\r\n" in buffer:
                    head, buffer = buffer.split(b"\r\n\r\n", 1)
                    path = head.split(b" ", 2)[1].decode()
                    self.requests.append(path)
                    self._answer(connection, self.answers.get(path, ("404 Not Found", b"no")))
        connection.close()

    def _answer(self, connection: socket.socket, answer: Any) -> None:
        if callable(answer):
            answer(connection)
            return
        status, body = answer
        head = f"HTTP/1.1 {status}\r\nContent-Length: {len(body)}\r\n\r\n".encode()
        connection.sendall(head + body)


@contextlib.contextmanager
def serving(tls: ssl.SSLContext | None, host: str = "127.0.0.1") -> Iterator[ApiServer]:
    """Run a server for the block."""
    server = ApiServer(tls, host)
    try:
        yield server
    finally:
        server.close()


def refused_port() -> int:
    """Return a port where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def cluster(api_address: str | None, **fields: Any) -> types.SimpleNamespace:
    """Return what the client and the monitor read of a cluster."""
    values = {
        "uuid": "c0ffee00-0000-4000-8000-000000000001",
        "name": "one",
        "api_address": api_address,
        "ca_cert_ref": "ca-1",
        "magnum_cert_ref": "client-1",
        "labels": {},
        "floating_ip_enabled": True,
        "master_lb_enabled": False,
        "node_count": 3,
    }
    return types.SimpleNamespace(**{**values, **fields})
