import socket
import time
from base64 import b64decode

import pytest

from magnumlite.kubernetes import connection as connection_module
from magnumlite.kubernetes.address import Address
from magnumlite.kubernetes.connection import Connection
from magnumlite.kubernetes.errors import KubernetesError
from tests.unit.kubernetes.apiserver import Pki, refused_port, serving


@pytest.fixture
def quick(conf):
    conf.set_override("read_timeout", 1, "health")
    conf.set_override("connect_timeout", 5, "health")
    return conf


def test_one_connection_and_one_handshake_for_many_requests(conf, pki):
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        for _ in range(5):
            assert connection.get("/healthz").body == b"ok"
        assert (server.accepted, server.handshakes, server.resumed) == (1, 1, 0)
        connection.close()


def test_a_kept_connection_that_was_cut_is_no_verdict(conf, pki):
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        connection.get("/healthz")
        server.cut()
        assert connection.get("/healthz").status == 200
        assert server.accepted == 2
        # The session is taken up again: no second full handshake.
        assert (server.handshakes, server.resumed) == (1, 1)
        connection.close()


def test_a_kept_connection_that_went_silent_is_tried_once_afresh(quick, pki):
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        connection.get("/healthz")
        answers = iter(
            [
                lambda sock: None,
                lambda sock: sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"),
            ]
        )
        server.answers["/healthz"] = lambda sock: next(answers)(sock)
        assert connection.get("/healthz").body == b"ok"
        assert server.accepted == 2
        connection.close()


def test_a_fresh_connection_that_fails_is_a_verdict_at_once(quick, pki):
    with serving(pki.server_context()) as server:
        server.answers["/healthz"] = lambda sock: None
        connection = Connection(Address.parse(server.url), pki.client_context())
        with pytest.raises(KubernetesError, match="no answer in time"):
            connection.get("/healthz")
        assert server.requests == ["/healthz"]


def test_refused_names_the_address(conf, pki):
    port = refused_port()
    connection = Connection(Address.parse(f"https://127.0.0.1:{port}"), pki.client_context())
    with pytest.raises(KubernetesError, match="Connection refused") as caught:
        connection.get("/healthz")
    assert f"127.0.0.1:{port}/healthz" in caught.value.message


def test_a_listener_that_never_shakes_hands(conf, pki):
    conf.set_override("connect_timeout", 0.3, "health")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"https://127.0.0.1:{listener.getsockname()[1]}"
        connection = Connection(Address.parse(url), pki.client_context())
        with pytest.raises(KubernetesError, match="no answer in time"):
            connection.get("/healthz")


def test_a_server_of_another_ca_is_not_trusted(conf, pki):
    with serving(Pki().server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        with pytest.raises(KubernetesError, match="TLS: certificate not accepted"):
            connection.get("/healthz")


def test_a_client_the_server_does_not_know(conf, pki):
    with serving(pki.server_context()) as server:
        stranger = Pki()
        tls = stranger.client_context()
        tls.load_verify_locations(cadata=pki.ca.decode())
        connection = Connection(Address.parse(server.url), tls)
        with pytest.raises(KubernetesError, match=r"TLS|reset|closed"):
            connection.get("/healthz")


@pytest.mark.parametrize("tls", [True, False], ids=["https", "http"])
def test_an_answer_that_trickles_is_cut_off(conf, pki, monkeypatch, tls):
    conf.set_override("read_timeout", 0.1, "health")
    monkeypatch.setattr(connection_module, "PATIENCE", 2)

    def trickle(sock):
        sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
        for _ in range(2000):
            sock.sendall(b"x")
            time.sleep(0.02)

    with serving(pki.server_context() if tls else None) as server:
        server.answers["/healthz"] = trickle
        client = pki.client_context() if tls else None
        connection = Connection(Address.parse(server.url), client)
        with pytest.raises(KubernetesError, match="no answer in time"):
            connection.get("/healthz")


def test_an_answer_larger_than_the_limit_is_refused(conf, monkeypatch):
    monkeypatch.setattr(connection_module, "LARGEST", 100)
    with serving(None) as server:
        server.answers["/healthz"] = ("200 OK", b"x" * 101)
        connection = Connection(Address.parse(server.url), None)
        with pytest.raises(KubernetesError, match="more than 100 bytes"):
            connection.get("/healthz")


def test_what_is_not_http(conf):
    with serving(None) as server:
        server.answers["/healthz"] = lambda sock: sock.sendall(b"SSH-2.0-OpenSSH\r\n\r\n")
        connection = Connection(Address.parse(server.url), None)
        with pytest.raises(KubernetesError, match="not HTTP"):
            connection.get("/healthz")


def test_redirects_are_not_followed(conf):
    with serving(None) as server:
        server.answers["/healthz"] = lambda sock: sock.sendall(
            b"HTTP/1.1 302 Found\r\nLocation: /elsewhere\r\nContent-Length: 0\r\n\r\n"
        )
        assert Connection(Address.parse(server.url), None).get("/healthz").status == 302
        assert server.requests == ["/healthz"]


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6 on this machine")
def test_ipv6(conf):
    # B62
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 loopback on this machine")
    with serving(None, "::1") as server:
        address = Address.parse(f"http://::1:{server.port}")
        assert Connection(address, None).get("/healthz").body == b"ok"


class Proxy:
    """An HTTP proxy that knows CONNECT."""

    def __init__(self):
        import threading

        self.asked = []
        self.credentials = None
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self):
        import threading

        client, _ = self.listener.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        target = head.split(b" ")[1].decode()
        self.asked.append(target)
        for line in head.decode().split("\r\n"):
            name, _, value = line.partition(": ")
            if name == "Proxy-Authorization":
                self.credentials = b64decode(value.removeprefix("Basic "))
        host, port = target.rsplit(":", 1)
        server = socket.create_connection((host.strip("[]"), int(port)))
        client.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        for source, sink in ((client, server), (server, client)):
            threading.Thread(target=self._pump, args=(source, sink), daemon=True).start()

    @staticmethod
    def _pump(source, sink):
        try:
            while piece := source.recv(65536):
                sink.sendall(piece)
        except OSError:
            pass


def test_proxy_variables_are_ignored_unless_asked_for(conf, pki, monkeypatch):
    # B62
    monkeypatch.setenv("https_proxy", f"http://127.0.0.1:{refused_port()}")
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        assert connection.get("/healthz").body == b"ok"
        connection.close()


@pytest.mark.parametrize("how", ["url", "environment"])
def test_a_proxy_that_is_asked_for(conf, pki, monkeypatch, how):
    proxy = Proxy()
    url = f"http://127.0.0.1:{proxy.port}"
    conf.set_override("proxy", url if how == "url" else "environment", "health")
    monkeypatch.setenv("https_proxy", url)
    monkeypatch.setenv("no_proxy", "example.org")
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        assert connection.get("/healthz").body == b"ok"
        assert proxy.asked == [f"127.0.0.1:{server.port}"]
        connection.close()
    proxy.listener.close()


def test_a_proxy_is_asked_for_an_ipv6_address_in_brackets(conf):
    # B62; RFC 9112, section 3.2.3
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("no IPv6 loopback on this machine")
    proxy, pki = Proxy(), Pki("::1")
    conf.set_override("proxy", f"http://127.0.0.1:{proxy.port}", "health")
    with serving(pki.server_context(), "::1") as server:
        address = Address.parse(f"https://[::1]:{server.port}")
        connection = Connection(address, pki.client_context())
        assert connection.get("/healthz").body == b"ok"
        connection.close()
    assert proxy.asked == [f"[::1]:{server.port}"]
    proxy.listener.close()


def test_a_connection_that_was_never_made_is_made_at_the_next_request(conf):
    port = refused_port()
    connection = Connection(Address.parse(f"http://127.0.0.1:{port}"), None)
    for _ in range(2):
        with pytest.raises(KubernetesError, match="refused"):
            connection.get("/healthz")


def test_a_proxy_that_wants_a_password(conf, pki):
    proxy = Proxy()
    conf.set_override("proxy", f"http://me:p%40ss@127.0.0.1:{proxy.port}", "health")
    with serving(pki.server_context()) as server:
        connection = Connection(Address.parse(server.url), pki.client_context())
        assert connection.get("/healthz").body == b"ok"
        connection.close()
    assert proxy.credentials == b"me:p@ss"
    proxy.listener.close()


@pytest.mark.parametrize(
    "url",
    ["https://me:secret@proxy:1", "http://me:secret@proxy:port", "http://me:secret@a..b:1", "//"],
)
def test_a_proxy_that_cannot_be_used_is_told_without_its_password(conf, url):
    conf.set_override("proxy", url, "health")
    with pytest.raises(KubernetesError, match=r"^\[health\]proxy is not an http URL$"):
        Connection(Address.parse("http://127.0.0.1:1"), None).get("/healthz")


def test_closing_during_a_request_closes_after_it(conf):
    import threading

    with serving(None) as server:
        connection = Connection(Address.parse(server.url), None)
        begun, go_on = threading.Event(), threading.Event()

        def answer(sock):
            begun.set()
            go_on.wait(10)
            sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        server.answers["/healthz"] = answer
        got = []
        thread = threading.Thread(target=lambda: got.append(connection.get("/healthz")))
        thread.start()
        begun.wait(10)
        connection.close()
        go_on.set()
        thread.join(10)
        assert got[0].body == b"ok"
        server.answers["/healthz"] = ("200 OK", b"ok")
        connection.get("/healthz")
        assert server.accepted == 2
        connection.close()
