"""A small Barbican: secrets and containers in memory, and the refusals of the real one."""

import json
import re
import threading
import uuid
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

_SECRET_FIELDS = {
    "name": str,
    "payload": str,
    "payload_content_type": str,
    "payload_content_encoding": str,
    "expiration": str,
    "algorithm": str,
    "mode": str,
    "bit_length": int,
    "secret_type": str,
}
_PARTS = {"certificate", "private_key", "private_key_passphrase", "intermediates"}
_PAYLOAD_MAX = 20_000


class Refused(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status


class Barbican:
    """Serves on a free port of loopback between start() and stop().

    ``fail``, when set, is asked with method and path before each request and
    may name the status to answer instead. ``tokens`` are those it accepts.
    """

    def __init__(self) -> None:
        self.secrets: dict[str, dict[str, Any]] = {}
        self.containers: dict[str, dict[str, Any]] = {}
        self.tokens = {"token"}
        self.requests: list[tuple[str, str]] = []
        self.fail: Callable[[str, str], int | None] = lambda method, path: None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def count(self, method: str, pattern: str) -> int:
        """How many requests there were of this method whose path matches."""
        return sum(m == method and bool(re.search(pattern, p)) for m, p in self.requests)

    def create_secret(self, body: dict[str, Any]) -> dict[str, Any]:
        for field, value in body.items():
            if field not in _SECRET_FIELDS:
                raise Refused(400, f"Additional properties are not allowed ('{field}')")
            if not isinstance(value, _SECRET_FIELDS[field]):
                raise Refused(400, f"{value!r} is not of the type of '{field}'")
        payload = body.get("payload")
        if payload is not None:
            if not payload.strip():
                raise Refused(400, "If 'payload' specified, must be non empty")
            if len(payload) > _PAYLOAD_MAX:
                raise Refused(413, "payload too large")
            kind = body.get("payload_content_type", "")
            if kind.split(";")[0] == "application/octet-stream":
                if "payload_content_encoding" not in body:
                    raise Refused(400, "payload_content_encoding must be specified")
            elif kind.split(";")[0] != "text/plain":
                raise Refused(400, f"payload_content_type {kind!r} is not supported")
            elif "payload_content_encoding" in body:
                raise Refused(400, "text/plain takes no payload_content_encoding")
        reference = f"{self.url}/v1/secrets/{self._add(self.secrets, body)}"
        return {"secret_ref": reference}

    def create_container(self, body: dict[str, Any]) -> dict[str, Any]:
        kind, references = body.get("type"), body.get("secret_refs", [])
        if kind not in ("generic", "rsa", "certificate"):
            raise Refused(400, f"{kind!r} is no type of container")
        names = [entry.get("name") for entry in references]
        if len(set(names)) != len(names):
            raise Refused(400, "Duplicate reference names are not allowed")
        if kind == "certificate":
            if "certificate" not in names:
                raise Refused(400, "Container's certificate secret reference is missing")
            if set(names) - _PARTS:
                raise Refused(400, f"{sorted(set(names) - _PARTS)} are no parts of a certificate")
        for entry in references:
            host, _, known = entry["secret_ref"].rpartition("/v1/secrets/")
            if host != self.url:
                raise Refused(400, "Secret references must be to this host")
            if known not in self.secrets:
                raise Refused(404, "Secret provided for a container doesn't exist")
        reference = f"{self.url}/v1/containers/{self._add(self.containers, body)}"
        return {"container_ref": reference}

    @staticmethod
    def _add(things: dict[str, dict[str, Any]], body: dict[str, Any]) -> str:
        name = str(uuid.uuid4())
        things[name] = body
        return name


def _handler(barbican: Barbican) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, format: str, *args: Any) -> None:
            pass

        def do_GET(self) -> None:
            self._answer(self._get)

        def do_POST(self) -> None:
            self._answer(self._post)

        def do_DELETE(self) -> None:
            self._answer(self._delete)

        def _answer(self, act: Callable[[], tuple[int, str, bytes]]) -> None:
            self.body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            try:
                if self.path.rstrip("/") not in ("", "/v1"):
                    barbican.requests.append((self.command, self.path))
                    if self.headers.get("X-Auth-Token") not in barbican.tokens:
                        raise Refused(401, "no token")
                    status = barbican.fail(self.command, self.path)
                    if status is not None:
                        raise Refused(status, "as the test has it")
                status, kind, content = act()
            except Refused as refused:
                status, kind = refused.status, "application/json"
                content = json.dumps(
                    {"code": status, "title": "Refused", "description": str(refused)}
                ).encode()
            self.send_response(status)
            if status != 204:
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            if status != 204:
                self.wfile.write(content)

        def _get(self) -> tuple[int, str, bytes]:
            if self.path.rstrip("/") in ("", "/v1"):
                version = {
                    "id": "v1",
                    "status": "CURRENT",
                    "min_version": "1.0",
                    "max_version": "1.1",
                    "links": [{"rel": "self", "href": f"{barbican.url}/v1/"}],
                }
                listed = {"versions": [version]} if self.path == "/" else {"version": version}
                return 200, "application/json", json.dumps(listed).encode()
            kind, name, part = self._target()
            found = self._find(kind, name)
            if part == "payload" and kind == "secrets":
                if self.headers.get("Accept", "").split(";")[0] != "text/plain":
                    raise Refused(406, "Secret payload retrieval issue")
                return 200, "text/plain; charset=utf-8", found["payload"].encode()
            shown = {key: value for key, value in found.items() if key != "payload"}
            if kind == "secrets":
                shown["secret_ref"] = f"{barbican.url}/v1/secrets/{name}"
                shown["content_types"] = {"default": "text/plain"}
            else:
                shown["container_ref"] = f"{barbican.url}/v1/containers/{name}"
            return 200, "application/json", json.dumps(shown).encode()

        def _post(self) -> tuple[int, str, bytes]:
            try:
                body = json.loads(self.body)
            except ValueError:
                raise Refused(400, "not JSON") from None
            makers = {
                "/v1/secrets": barbican.create_secret,
                "/v1/containers": barbican.create_container,
            }
            if self.path.rstrip("/") not in makers:
                raise Refused(405, "not allowed")
            made = makers[self.path.rstrip("/")](body)
            return 201, "application/json", json.dumps(made).encode()

        def _delete(self) -> tuple[int, str, bytes]:
            kind, name, _ = self._target()
            self._find(kind, name)
            del getattr(barbican, kind)[name]
            return 204, "", b""

        def _target(self) -> tuple[str, str, str]:
            match = re.fullmatch(r"/v1/(secrets|containers)/([^/]+)/?(payload)?", self.path)
            if match is None:
                raise Refused(404, "there is no such thing")
            return match[1], match[2], match[3] or ""

        def _find(self, kind: str, name: str) -> dict[str, Any]:
            try:
                uuid.UUID(name)
                found: dict[str, Any] = getattr(barbican, kind)[name]
            except (ValueError, KeyError):
                raise Refused(404, "there is no such thing") from None
            return found

    return Handler
