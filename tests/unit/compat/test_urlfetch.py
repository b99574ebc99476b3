"""Fetching a text."""

import http.server
import threading
from collections.abc import Iterator

import pytest

from magnumlite import exception
from magnumlite.compat import urlfetch


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status = 200 if self.path == "/there" else 404
        self.send_response(status)
        self.send_header("Content-Type", "text/plain; charset=utf-8")
        self.end_headers()
        self.wfile.write("grüß".encode())

    def log_message(self, *_: object) -> None:
        """Keep the tests' output quiet."""


@pytest.fixture(scope="module")
def root() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_a_text_comes_back(root: str) -> None:
    """magnum's own raises TypeError here."""
    assert urlfetch.get(f"{root}/there") == "grüß"


def test_what_cannot_be_fetched_names_the_url(root: str) -> None:
    with pytest.raises(urlfetch.URLFetchError, match=r"/absent.*404"):
        urlfetch.get(f"{root}/absent")
    with pytest.raises(urlfetch.URLFetchError, match=r"127\.0\.0\.1:1/"):
        urlfetch.get("http://127.0.0.1:1/")


def test_other_schemes_are_refused() -> None:
    with pytest.raises(urlfetch.URLFetchError, match="Invalid URL scheme file"):
        urlfetch.get("file:///etc/passwd")
    with pytest.raises(urlfetch.URLFetchError, match="Invalid URL scheme http"):
        urlfetch.get("http://127.0.0.1/", allowed_schemes=("https",))


def test_its_error_is_a_bad_request_and_an_os_error() -> None:
    assert issubclass(urlfetch.URLFetchError, exception.Invalid)
    assert issubclass(urlfetch.URLFetchError, OSError)
    assert urlfetch.URLFetchError.code == 400
