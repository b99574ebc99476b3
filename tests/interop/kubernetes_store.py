"""A Kubernetes API server that keeps whatever it is given, by path, and knows no rules."""

from __future__ import annotations

import http.server
import json
import re
import threading
import uuid
from pathlib import Path
from typing import Any

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: management
clusters: [{{name: management, cluster: {{server: "{url}"}}}}]
users: [{{name: magnum, user: {{token: secret}}}}]
contexts: [{{name: management, context: {{cluster: management, user: magnum}}}}]
"""

#: Paths of one object, not of a collection.
_NAMED = re.compile(r"/namespaces/[^/]+(/[^/]+/[^/]+)?$")


class KubernetesStore:
    """Serves on a free port of loopback from `with` to its end; `objects` is path to object."""

    def __init__(self) -> None:
        self.objects: dict[str, dict[str, Any]] = {}
        self.requests: list[tuple[str, str]] = []
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True

    def __enter__(self) -> KubernetesStore:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def write(self, kubeconfig: Path) -> None:
        """Write a kubeconfig that names it."""
        port = self._server.server_address[1]
        kubeconfig.write_text(KUBECONFIG.format(url=f"http://127.0.0.1:{port}"))

    def keep(self, path: str, made: dict[str, Any]) -> dict[str, Any]:
        """Keep an object, with the metadata that every object has."""
        metadata = made.setdefault("metadata", {})
        metadata.setdefault("uid", str(uuid.uuid4()))
        metadata["resourceVersion"] = str(len(self.requests))
        self.objects[path] = made
        return made


def _handler(store: KubernetesStore) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

        def do_GET(self) -> None:
            path = self._noted()
            if path in store.objects:
                return self._answer(200, store.objects[path])
            if _NAMED.search(path):
                return self._answer(404, self._status(404, "NotFound"))
            below = [o for p, o in store.objects.items() if p.startswith(f"{path}/")]
            return self._answer(200, {"kind": "List", "items": below, "metadata": {}})

        def do_POST(self) -> None:
            path, body = self._noted(), self._body()
            name = f"{path}/{body['metadata']['name']}"
            if name in store.objects:
                return self._answer(409, self._status(409, "AlreadyExists"))
            return self._answer(201, store.keep(name, body))

        def do_PUT(self) -> None:
            self._answer(200, store.keep(self._noted(), self._body()))

        def do_PATCH(self) -> None:
            path = self._noted()
            self._answer(200, store.keep(path, {**store.objects.get(path, {}), **self._body()}))

        def do_DELETE(self) -> None:
            path = self._noted()
            self._body()
            if store.objects.pop(path, None) is None:
                return self._answer(404, self._status(404, "NotFound"))
            return self._answer(200, self._status(200, ""))

        def _noted(self) -> str:
            path = self.path.partition("?")[0].rstrip("/")
            store.requests.append((self.command, path))
            return path

        def _body(self) -> dict[str, Any]:
            data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            return json.loads(data) if data else {}

        @staticmethod
        def _status(code: int, reason: str) -> dict[str, Any]:
            return {"kind": "Status", "apiVersion": "v1", "code": code, "reason": reason}

        def _answer(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
