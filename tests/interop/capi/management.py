"""A management cluster: its API server over mutual TLS, and the controllers behind it."""

import base64
import collections
import contextlib
import http.server
import json
import re
import socket
import threading
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.interop.capi.controllers import Releases
from tests.interop.capi.objects import KINDS, Objects, Refused
from tests.servers.daemon import free_port
from tests.unit.kubernetes.apiserver import Pki

#: Seconds between two steps of the controllers.
STEP = 0.1

_PATH = re.compile(
    r"/(?:api|apis)/(?P<version>v1|[^/]+/[^/]+)(?:/namespaces/(?P<namespace>[^/]+))?"
    r"/(?P<plural>[a-z]+)(?:/(?P<name>[^/]+))?"
)


class ManagementCluster:
    """Runs from `with` to its end, on loopback, on a port that stays the same.

    `status`, when set, is what the API server answers to every Kubernetes request.
    """

    def __init__(self) -> None:
        self.objects = Objects()
        self.releases = Releases(self.objects)
        self.lock = threading.RLock()
        self.status: int | None = None
        #: How often an object was read, by plural and name.
        self.read: collections.Counter[tuple[str, str]] = collections.Counter()
        self.open: set[socket.socket] = set()
        self._pki = Pki()
        self._port = free_port()
        self._server: http.server.ThreadingHTTPServer | None = None
        self._ended = threading.Event()
        self._controllers = threading.Thread(target=self._control, daemon=True)

    def __enter__(self) -> "ManagementCluster":
        self.come()
        self._controllers.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._controllers.join()
        self.go()

    @property
    def url(self) -> str:
        """Where the API server is, and what may be in messages about it."""
        return f"https://127.0.0.1:{self._port}"

    def come(self) -> None:
        """Listen."""
        server = http.server.ThreadingHTTPServer(("127.0.0.1", self._port), _handler(self))
        server.daemon_threads = True
        server.socket = self._pki.server_context().wrap_socket(
            server.socket, server_side=True, do_handshake_on_connect=False
        )
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        self._server = server

    def go(self) -> None:
        """Refuse connections, and cut those that are open."""
        if self._server is None:
            return
        self._server.shutdown()
        self._server.server_close()
        self._server = None
        for connection in [*self.open]:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    @contextlib.contextmanager
    def away(self) -> Iterator[None]:
        """Be away for the block."""
        self.go()
        try:
            yield
        finally:
            self.come()

    def renew(self, kubeconfig: Path) -> None:
        """Trust another CA from now on and none of the old clients; write the new kubeconfig."""
        self.go()
        self._pki = Pki()
        self.write(kubeconfig)
        self.come()

    def write(self, kubeconfig: Path) -> None:
        """Write a kubeconfig for a client certificate; JSON is YAML too."""

        def encoded(text: bytes) -> str:
            return base64.b64encode(text).decode()

        certificate, key = self._pki.client
        content = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "management",
            "clusters": [
                {
                    "name": "management",
                    "cluster": {
                        "server": self.url,
                        "certificate-authority-data": encoded(self._pki.ca),
                    },
                }
            ],
            "users": [
                {
                    "name": "magnum",
                    "user": {
                        "client-certificate-data": encoded(certificate),
                        "client-key-data": encoded(key),
                    },
                }
            ],
            "contexts": [
                {"name": "management", "context": {"cluster": "management", "user": "magnum"}}
            ],
        }
        kubeconfig.write_text(json.dumps(content))
        kubeconfig.chmod(0o600)

    def _control(self) -> None:
        while not self._ended.wait(STEP):
            with self.lock:
                self.releases.step()


def _handler(management: ManagementCluster) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            management.open.add(self.request)
            super().setup()

        def finish(self) -> None:
            management.open.discard(self.request)
            with contextlib.suppress(OSError):
                super().finish()

        def handle(self) -> None:
            # A client that does not shake hands, or whose connection is cut, is no news.
            with contextlib.suppress(OSError):
                super().handle()

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

        def do_GET(self) -> None:
            self._serve()

        def do_PATCH(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def _serve(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(url.query))
            try:
                with management.lock:
                    if url.path.startswith("/helm/"):
                        answer = self._helm(url.path, json.loads(content))
                    else:
                        answer = self._kubernetes(url.path, query, content)
                    data, status = json.dumps(answer).encode(), 200
            except Refused as refused:
                status = refused.status
                data = json.dumps(
                    {
                        "kind": "Status",
                        "apiVersion": "v1",
                        "status": "Failure",
                        "message": str(refused),
                        "reason": refused.reason,
                        "code": status,
                    }
                ).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def _helm(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
            namespace, release = body["namespace"], body["release"]
            if path == "/helm/upgrade":
                return management.releases.upgrade(namespace, release, body["values"])
            return management.releases.uninstall(namespace, release)

        def _kubernetes(self, path: str, query: dict[str, str], content: bytes) -> Any:
            if management.status is not None:
                raise Refused(management.status, "Failure", "as the test has it")
            found = _PATH.fullmatch(path)
            if found is None or KINDS.get(found["plural"], ("",))[0] != found["version"]:
                raise Refused(404, "NotFound", "the server could not find the requested resource")
            plural, namespace, name = found["plural"], found["namespace"] or "", found["name"]
            labels = dict(
                pair.split("=", 1) for pair in query.get("labelSelector", "").split(",") if pair
            )
            objects = management.objects
            if self.command == "GET" and name:
                management.read[plural, name] += 1
                return objects.get(plural, namespace, name)
            if self.command == "GET":
                return objects.page(plural, namespace, labels, int(query.get("continue", 0)))
            if self.command == "PATCH" and name:
                if self.headers["Content-Type"] != "application/apply-patch+yaml":
                    raise Refused(415, "UnsupportedMediaType", "not an apply")
                if not query.get("fieldManager"):
                    raise Refused(422, "Invalid", "fieldManager is required for apply patch")
                return objects.apply(plural, namespace, name, json.loads(content))
            if self.command == "DELETE" and not name:
                objects.delete_all(plural, namespace, labels)
                return {"kind": "Status", "apiVersion": "v1", "status": "Success"}
            raise Refused(405, "MethodNotAllowed", self.command)

    return Handler
