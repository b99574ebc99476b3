"""A small Keystone of our own, with the services that its catalogue names behind it.

It checks passwords and tokens and keeps a list of requests. The services serve `content`:
lists of resources that can be listed, filtered by equality, read and deleted. Application
credentials can be made, read and deleted.
"""

import contextlib
import http.server
import json
import re
import threading
import urllib.parse
import uuid
from collections.abc import Callable
from typing import Any

from magnumlite import exception
from magnumlite.openstack import sessions

USER, PASSWORD, PROJECT = "magnum", "right", "service"
USER_ID, PROJECT_ID = "a" * 32, "b" * 32
REGION = "RegionOne"

# Service type in the catalogue -> first path element, version, path before the collections.
SERVICES = {
    "identity": ("identity", "v3", ""),
    "network": ("network", "v2.0", ""),
    "load-balancer": ("load-balancer", "v2.0", "lbaas/"),
    "compute": ("compute", "v2.1", ""),
    "volumev3": ("volume", "v3", f"{PROJECT_ID}/"),
    "image": ("image", "v2", ""),
    "key-manager": ("key-manager", "v1", ""),
    "container-infra": ("container-infra", "v1", ""),
}

# Collections whose items are not named by the collection without its s.
SINGULARS = {"os-keypairs": "keypair", "types": "volume_type"}
PLURALS = {"os-keypairs": "keypairs", "types": "volume_types"}

CREDENTIALS = re.compile("users/([^/]+)/application_credentials/?(.*)")


class Keystone:
    """Runs from `with` to its end, on loopback and a free port.

    `fail` is asked with the first path element of a service and the rest of the path before each
    request that has a token, and may name the status to answer instead.
    """

    def __init__(self) -> None:
        self.catalogue = list(SERVICES)
        #: Service type to the URL of a server of its own.
        self.elsewhere: dict[str, str] = {}
        self.content: dict[str, list[dict[str, Any]]] = {}
        self.credentials: list[dict[str, Any]] = []
        self.fail: Callable[[str, str], int | None] = lambda service, path: None
        self.requests: list[tuple[str, str]] = []
        self.tokens: set[str] = set()
        self.connections = 0
        self.silent = threading.Event()
        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._ended = threading.Event()

    def __enter__(self) -> "Keystone":
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._server.shutdown()
        self._server.server_close()

    @property
    def root(self) -> str:
        """Where all services are."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    @property
    def auth_url(self) -> str:
        """What [keystone_auth]auth_url is to hold."""
        return f"{self.root}/identity/v3"

    def configure(self, conf: Any) -> None:
        """Write [keystone_auth] for the user it knows."""
        with contextlib.suppress(exception.AuthorizationFailure):
            sessions.auth_url()  # registers the plugin's options
        for name, value in {
            "auth_url": self.auth_url,
            "username": USER,
            "password": PASSWORD,
            "project_name": PROJECT,
            "user_domain_id": "default",
            "project_domain_id": "default",
        }.items():
            conf.set_override(name, value, group="keystone_auth")

    def issue(self) -> str:
        """Return a token it will accept."""
        token = uuid.uuid4().hex
        self.tokens.add(token)
        return token

    def token_body(self) -> dict[str, Any]:
        """Return what it says about a token: the user, the project and the catalogue."""
        return {
            "token": {
                "methods": ["password"],
                "expires_at": "2999-01-01T00:00:00.000000Z",
                "issued_at": "2026-01-01T00:00:00.000000Z",
                "user": {"id": USER_ID, "name": USER, "domain": {"id": "default", "name": "D"}},
                "project": {
                    "id": PROJECT_ID,
                    "name": PROJECT,
                    "domain": {"id": "default", "name": "D"},
                },
                "roles": [{"id": "r", "name": "admin"}],
                "catalog": [self._catalogued(kind) for kind in self.catalogue],
            }
        }

    def _catalogued(self, kind: str) -> dict[str, Any]:
        path, version, inner = SERVICES[kind]
        # Neutron and Octavia are catalogued without a version, as in real clouds.
        bare = kind in ("network", "load-balancer", "image", "key-manager")
        url = f"{self.root}/{path}" if bare else f"{self.root}/{path}/{version}/{inner}".rstrip("/")
        url = self.elsewhere.get(kind, url)
        return {
            "type": kind,
            "name": kind,
            "id": kind,
            "endpoints": [
                {
                    "id": f"{kind}-{interface}",
                    "interface": interface,
                    "region": REGION,
                    "region_id": REGION,
                    "url": url.replace("127.0.0.1", host),
                }
                for interface, host in (("public", "127.0.0.1"), ("internal", "localhost"))
            ],
        }


def _handler(keystone: Keystone) -> type[http.server.BaseHTTPRequestHandler]:
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def setup(self) -> None:
            keystone.connections += 1
            super().setup()

        def handle(self) -> None:
            with contextlib.suppress(ConnectionResetError):  # a client that was killed
                super().handle()

        def log_message(self, *_: object) -> None:
            """Keep the tests' output quiet."""

        def do_GET(self) -> None:
            self._serve()

        def do_POST(self) -> None:
            self._serve()

        def do_DELETE(self) -> None:
            self._serve()

        def _serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            url = urllib.parse.urlsplit(self.path)
            keystone.requests.append((self.command, self.path))
            if keystone.silent.is_set():
                keystone._ended.wait(60)
                self.close_connection = True
                return
            service, _, rest = url.path.strip("/").partition("/")
            known = {path: (kind, v, inner) for kind, (path, v, inner) in SERVICES.items()}
            if service not in known:
                return self._answer(404, {})
            _, version, inner = known[service]
            if rest in ("", version):
                return self._versions(service, version, rest)
            path = rest.removeprefix(f"{version}/")
            if (service, path) == ("identity", "auth/tokens"):
                return self._authenticate(json.loads(body))
            if self.headers.get("X-Auth-Token") not in keystone.tokens:
                return self._answer(401, {"error": {"message": "no such token", "code": 401}})
            status = keystone.fail(service, path)
            if status is not None:
                return self._answer(status, {"error": {"message": "as the test has it"}})
            if found := CREDENTIALS.fullmatch(path):
                return self._credentials(found[1], found[2], body)
            query = dict(urllib.parse.parse_qsl(url.query))
            return self._resources(path.removeprefix(inner), query)

        def _versions(self, service: str, version: str, rest: str) -> None:
            links = [{"rel": "self", "href": f"{keystone.root}/{service}/{version}/"}]
            one = {"id": version, "status": "CURRENT", "links": links, "version": "", "values": []}
            self._answer(200, {"version": one} if rest else {"versions": [one]})

        def _authenticate(self, body: dict[str, Any]) -> None:
            identity = body["auth"]["identity"]
            if "password" in identity:
                user = identity["password"]["user"]
                right = (user.get("name"), user["password"]) == (USER, PASSWORD)
            else:
                right = identity["token"]["id"] in keystone.tokens
            if not right:
                return self._answer(401, {"error": {"message": "Wrong password", "code": 401}})
            return self._answer(201, keystone.token_body(), {"X-Subject-Token": keystone.issue()})

        def _credentials(self, user: str, ident: str, body: bytes) -> None:
            if self.command == "POST":
                asked = json.loads(body)["application_credential"]
                taken = [(each["user_id"], each["name"]) for each in keystone.credentials]
                if (user, asked["name"]) in taken:
                    return self._answer(409, {"error": {"message": "duplicate", "code": 409}})
                made = {**asked, "id": uuid.uuid4().hex, "user_id": user}
                keystone.credentials.append(made)
                secret = {**made, "secret": uuid.uuid4().hex}
                return self._answer(201, {"application_credential": secret})
            for each in keystone.credentials:  # an administrator may name any user
                if each["id"] == ident:
                    if self.command == "DELETE":
                        keystone.credentials.remove(each)
                        return self._answer(204, None)
                    return self._answer(200, {"application_credential": each})
            return self._answer(404, {"error": {"message": f"no {ident}", "code": 404}})

        def _resources(self, path: str, query: dict[str, str]) -> None:
            collection, _, ident = path.partition("/")
            items = keystone.content.get(collection)
            if items is None:
                return self._answer(404, {"error": {"message": path}})
            if collection == "flavors" and ident == "detail":
                least = int(query.pop("minRam", 0))
                items, ident = [each for each in items if each["ram"] >= least], ""
            if not ident:
                chosen = [
                    item
                    for item in items
                    if all(str(item[k]) == v for k, v in query.items() if k in item)
                ]
                if collection == "os-keypairs":
                    chosen = [{"keypair": item} for item in chosen]
                return self._answer(200, {PLURALS.get(collection, collection): chosen})
            for item in items:
                if ident in (item.get("id"), item.get("name")):
                    if self.command == "DELETE":
                        items.remove(item)
                        return self._answer(204, None)
                    if collection == "images":
                        return self._answer(200, item)
                    name = SINGULARS.get(collection, collection.removesuffix("s"))
                    return self._answer(200, {name: item})
            return self._answer(404, {"error": {"message": f"no {path}", "code": 404}})

        def _answer(
            self, status: int, body: dict[str, Any] | None, headers: dict[str, str] | None = None
        ) -> None:
            data = b"" if body is None else json.dumps(body).encode()
            self.send_response(status)
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    return Handler
