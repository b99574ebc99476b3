"""One kept HTTP connection to one cluster's API."""

from __future__ import annotations

import http.client
import socket
import ssl
import threading
import time
from base64 import b64encode
from typing import Any, NamedTuple
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from magnumlite.conf import CONF
from magnumlite.kubernetes.address import Address
from magnumlite.kubernetes.errors import KubernetesError

#: An answer may trickle in; more than this many read timeouts it may not take.
PATIENCE = 4
#: Bytes of the largest answer that is read: about 3,000 full node objects.
LARGEST = 64 * 2**20
#: Characters of an error's body that are shown.
SHOWN = 300
DEFAULT_PROXY_PORT = 3128


class Answer:
    """Status, reason phrase and body of a response."""

    def __init__(self, status: int, phrase: str, body: bytes) -> None:
        self.status = status
        self.phrase = phrase
        self.body = body


class Connection:
    """Asks one address, over a connection that stays open. Safe for any thread.

    Requests are made one at a time. `tls` is the context for https, None for http.
    """

    def __init__(self, address: Address, tls: ssl.SSLContext | None) -> None:
        self.address = address
        self._tls = tls
        if tls is not None:
            tls.sslsocket_class = _TlsSocket
        self._session: ssl.SSLSession | None = None
        self._http: http.client.HTTPConnection | None = None
        self._lock = threading.Lock()
        self._unwanted = False

    def get(self, path: str) -> Answer:
        """GET `path` and return the answer, whatever its status.

        A kept connection may have been closed by something between; when it fails, a fresh one
        is tried before the failure counts. Redirects are not followed: the address a tenant's
        cluster names must not lead elsewhere.

        Raises:
            KubernetesError: no connection, no or no proper answer in time.
        """
        with self._lock:
            try:
                if self._http is not None:
                    try:
                        return self._exchange(self._http, path)
                    except (OSError, http.client.HTTPException):
                        self._drop()
                return self._exchange(self._connect(), path)
            except (OSError, http.client.HTTPException) as error:
                self._drop()
                raise KubernetesError(f"GET {self.address}{path}: {_cause(error)}") from error
            except KubernetesError:
                self._drop()
                raise
            finally:
                if self._unwanted:
                    self._drop()

    def close(self) -> None:
        """Close what is open, at once or when the request under way is over."""
        if self._lock.acquire(blocking=False):
            try:
                self._drop()
            finally:
                self._lock.release()
        else:
            self._unwanted = True

    def _connect(self) -> http.client.HTTPConnection:
        timeout = float(CONF.health.connect_timeout)
        proxy = _proxy(self.address)
        host = proxy.host if proxy else self.address.host
        port = proxy.port if proxy else self.address.port
        connection: http.client.HTTPConnection
        if self._tls is None:
            connection = _PlainConnection(host, port, timeout=timeout)
        else:
            connection = _TlsConnection(
                host, port, timeout, self._tls, self.address.host, self._session
            )
        if proxy:
            connection.set_tunnel(self.address.bracketed, self.address.port, proxy.headers)
        try:
            connection.connect()
        except BaseException:
            connection.close()
            raise
        self._http = connection
        return connection

    def _exchange(self, connection: http.client.HTTPConnection, path: str) -> Answer:
        sock: Any = connection.sock
        timeout = float(CONF.health.read_timeout)
        sock.settimeout(timeout)
        sock.deadline = time.monotonic() + PATIENCE * timeout
        connection.request("GET", self.address.path + path, headers={"Accept": "*/*"})
        response = connection.getresponse()
        body = response.read(LARGEST + 1)
        if len(body) > LARGEST:
            raise KubernetesError(f"GET {self.address}{path}: more than {LARGEST} bytes")
        if isinstance(sock, _TlsSocket) and not sock.noted:
            # Not before the first answer: a TLS 1.3 server sends its tickets after the handshake.
            self._session, sock.noted = sock.session, True
        if response.will_close:
            self._drop()
        return Answer(response.status, response.reason, body)

    def _drop(self) -> None:
        connection, self._http, self._unwanted = self._http, None, False
        if connection is not None:
            connection.close()


class _PlainConnection(http.client.HTTPConnection):
    """An HTTP connection whose answers are bounded."""

    def connect(self) -> None:
        """Connect, through the tunnel where there is one."""
        super().connect()
        self.sock = _PatientSocket(fileno=self.sock.detach())


class _TlsConnection(http.client.HTTPSConnection):
    """An HTTPS connection that takes up the TLS session of the one before it."""

    def __init__(
        self,
        host: str,
        port: int,
        timeout: float,
        tls: ssl.SSLContext,
        name: str,
        session: ssl.SSLSession | None,
    ) -> None:
        """`host` and `port` are the proxy's, if there is one; `name` is the server's own."""
        super().__init__(host, port, timeout=timeout, context=tls)
        self._tls = tls
        self._name = name
        self._session = session

    def connect(self) -> None:
        """Connect, through the tunnel where there is one, and shake hands."""
        http.client.HTTPConnection.connect(self)
        self.sock = self._tls.wrap_socket(
            self.sock, server_hostname=self._name, session=self._session
        )


class _PatientSocket(socket.socket):
    """Bounds the whole of an answer, not only each piece: who sends a byte at a time is cut off."""

    deadline = float("inf")

    def recv_into(self, buffer: Any, *args: Any, **kwargs: Any) -> int:
        """Receive, unless the time for the answer is over."""
        if time.monotonic() > self.deadline:
            raise TimeoutError("the answer took too long")
        return super().recv_into(buffer, *args, **kwargs)


class _TlsSocket(_PatientSocket, ssl.SSLSocket):
    """Knows whether its TLS session was noted."""

    noted = False


class _Proxy(NamedTuple):
    """Where a proxy is, and the headers it wants with a CONNECT."""

    host: str
    port: int
    headers: dict[str, str]


def _proxy(address: Address) -> _Proxy | None:
    """Return the proxy to use; none unless [health]proxy asks (B62).

    Raises:
        KubernetesError: what stands there is no URL of a proxy; it is not shown, for it may hold a
            password.
    """
    wanted = CONF.health.proxy
    if wanted == "environment":
        if proxy_bypass(address.host):
            return None
        wanted = getproxies().get(address.scheme)
    if not wanted:
        return None
    try:
        url = urlsplit(wanted if "//" in wanted else f"//{wanted}")
        if url.scheme not in ("", "http") or not url.hostname:
            raise ValueError("not an http URL")
        url.hostname.encode("idna")
        headers = {}
        if url.username:
            user = f"{unquote(url.username)}:{unquote(url.password or '')}"
            headers["Proxy-Authorization"] = "Basic " + b64encode(user.encode()).decode()
        return _Proxy(url.hostname, url.port or DEFAULT_PROXY_PORT, headers)
    except ValueError:
        raise KubernetesError("[health]proxy is not an http URL") from None


def _cause(error: Exception) -> str:
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"TLS: certificate not accepted: {error.verify_message}"
    if isinstance(error, ssl.SSLError):
        return f"TLS: {error.reason or error}"
    if isinstance(error, TimeoutError):
        return "no answer in time"
    if isinstance(error, http.client.RemoteDisconnected):
        return "closed without an answer"
    if isinstance(error, OSError):
        return error.strerror or str(error) or type(error).__name__
    return f"not HTTP: {type(error).__name__}"
