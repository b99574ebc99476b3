"""Just enough of OpenStack for magnum-api to accept requests, in a thread of the test run.

Keystone (login with password or token, validation, catalogue), Nova's flavors and key pairs,
Glance's images, Neutron's networks.  State is fixed, and a known name is all it takes to log in.
"""

from __future__ import annotations

import http.server
import json
import re
import threading
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any

PROJECTS = {"demo": "1" * 32, "other": "2" * 32, "service": "3" * 32}
#: User name: id, project, roles.
USERS = {
    "demo": ("a" * 32, "demo", ["member", "reader"]),
    "other": ("b" * 32, "other", ["member", "reader"]),
    "admin": ("c" * 32, "demo", ["admin", "member", "reader"]),
    "magnum": ("d" * 32, "service", ["admin", "service"]),
}
IMAGE, NETWORK = str(uuid.UUID(int=1)), str(uuid.UUID(int=2))
KEYPAIR = {"name": "key", "fingerprint": "0:0", "public_key": "ssh-ed25519 A"}
FLAVORS = [{"id": "1", "name": "small", "disk": 20, "ram": 2048, "vcpus": 1}]
IMAGES = [
    {"id": IMAGE, "name": "ubuntu", "status": "active", "os_distro": "ubuntu", "disk_format": "raw"}
]
NETWORKS = [{"id": NETWORK, "name": "public", "router:external": True, "status": "ACTIVE"}]
#: Service type: path of its endpoint.
SERVICES = {
    "identity": "/v3",
    "compute": "/compute/v2.1",
    "image": "/image",
    "network": "/network",
    "block-storage": "/volume/v3",
    "load-balancer": "/load-balancer",
    "container-infra": None,
}

Answer = tuple[int, Any, dict[str, str]]


class Cloud:
    """Serves on a free port of loopback from `with` to its end.

    `magnum` is the URL that the catalogue gives for magnum-api; it may be set later.
    """

    def __init__(self) -> None:
        self.magnum = ""
        self._tokens: dict[str, Any] = {}
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.auth_url = f"{self.url}/v3"
        self._routes: list[tuple[str, Callable[..., Answer]]] = [
            ("POST /v3/auth/tokens", self._login),
            ("(?:GET|HEAD) /v3/auth/tokens", self._validate),
            ("GET (?:/v3)?", lambda request: self._version("v3.14", "/v3", 300)),
            ("GET /v3/regions", lambda request: _ok(regions=[{"id": "RegionOne"}], links={})),
            ("GET /v3/services", self._services),
            ("GET /v3/projects/[0-9]+", self._project),
            ("GET /compute/v2.1", lambda request: self._version("v2.1", "/compute/v2.1")),
            (
                "GET /compute/v2.1/flavors/detail",
                lambda request: _ok(flavors=_once(request, FLAVORS)),
            ),
            ("GET /compute/v2.1/os-keypairs/key", lambda request: _ok(keypair=KEYPAIR)),
            ("GET /image", lambda request: self._version("v2.9", "/image/v2", 300)),
            ("GET /image/v2/images", self._images),
            (f"GET /image/v2/images/{IMAGE}", lambda request: (200, IMAGES[0], {})),
            ("GET /network", lambda request: self._version("v2.0", "/network/v2.0")),
            ("GET /network/v2.0/networks", lambda request: _ok(networks=NETWORKS)),
            ("GET /network/v2.0/subnets", lambda request: _ok(subnets=[])),
        ]

    def __enter__(self) -> Cloud:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, request: Request) -> Answer:
        """Return status, body and headers for a request."""
        asked = f"{request.method} {request.path.rstrip('/')}"
        for pattern, function in self._routes:
            if re.fullmatch(pattern, asked):
                return function(request)
        return 404, {"error": {"code": 404, "title": "not found", "message": asked}}, {}

    def _login(self, request: Request) -> Answer:
        auth = request.body["auth"]
        identity, scope = auth["identity"], auth.get("scope")
        if "token" in identity["methods"]:
            name = self._tokens[identity["token"]["id"]]["user"]["name"]
        else:
            name = identity["password"]["user"]["name"]
        ident, project, roles = USERS[name]
        if isinstance(scope, dict) and "name" in scope.get("project", {}):
            project = scope["project"]["name"]
        domain = {"id": "default", "name": "Default"}
        token = {
            "methods": ["password"],
            "issued_at": "2026-01-01T00:00:00.000000Z",
            "expires_at": "2999-01-01T00:00:00.000000Z",
            "user": {"id": ident, "name": name, "domain": domain},
            "project": {"id": PROJECTS[project], "name": project, "domain": domain},
            "roles": [{"id": role, "name": role} for role in roles],
            "catalog": [self._catalogued(kind) for kind in SERVICES],
        }
        key = uuid.uuid4().hex
        self._tokens[key] = token
        return 201, {"token": token}, {"X-Subject-Token": key}

    def _validate(self, request: Request) -> Answer:
        key = request.headers.get("X-Subject-Token", "")
        if key not in self._tokens:
            return 404, {"error": {"code": 404, "title": "not found", "message": "token"}}, {}
        return 200, {"token": self._tokens[key]}, {"X-Subject-Token": key}

    def _catalogued(self, kind: str) -> dict[str, Any]:
        path = SERVICES[kind]
        url = f"{self.magnum}/v1" if path is None else self.url + path
        endpoints = [
            {
                "id": kind + interface,
                "interface": interface,
                "region": "RegionOne",
                "region_id": "RegionOne",
                "url": url,
            }
            for interface in ("public", "internal", "admin")
        ]
        return {"type": kind, "name": kind, "id": kind, "endpoints": endpoints}

    def _services(self, request: Request) -> Answer:
        wanted = request.query.get("type")
        kinds = [kind for kind in SERVICES if wanted in (None, kind)]
        return _ok(
            links={},
            services=[{"id": kind, "type": kind, "name": kind, "enabled": True} for kind in kinds],
        )

    def _project(self, request: Request) -> Answer:
        ident = request.path.rpartition("/")[2]
        names = {known: name for name, known in PROJECTS.items()}
        return _ok(project={"id": ident, "name": names[ident], "domain_id": "default"})

    def _version(self, ident: str, path: str, status: int = 200) -> Answer:
        links = [{"rel": "self", "href": f"{self.url}{path}/"}]
        one = {
            "id": ident,
            "status": "CURRENT",
            "min_version": "2.1",
            "version": "2.1",
            "links": links,
            "media-types": [],
        }
        kept: Any = {"values": [one]} if path == "/v3" else [one]
        return status, {"version": one, "versions": kept}, {}

    def _images(self, request: Request) -> Answer:
        name = request.query.get("name")
        found = [image for image in IMAGES if name in (None, image["name"])]
        return _ok(images=[] if "os_hidden" in request.query else found)


class Request:
    """A request, taken apart."""

    def __init__(self, method: str, target: str, headers: Any, content: bytes) -> None:
        url = urllib.parse.urlsplit(target)
        self.method, self.path, self.headers = method, url.path, headers
        self.query = dict(urllib.parse.parse_qsl(url.query))
        self.body = json.loads(content or b"null")


def _ok(**body: Any) -> Answer:
    return 200, body, {}


def _once(request: Request, items: list[Any]) -> list[Any]:
    """The first page; there is no second."""
    return [] if "marker" in request.query else items


def _handler(cloud: Cloud) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

        def _serve(self) -> None:
            content = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = Request(self.command, self.path, self.headers, content)
            status, body, headers = cloud.answer(request)
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

    for method in ("GET", "POST", "HEAD"):
        setattr(Handler, f"do_{method}", Handler._serve)
    return Handler
