"""A server's consumer on RabbitMQ."""

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import kombu
import pytest
from oslo_config import cfg

from magnumlite.rpc import client, frames, server, transport
from tests.servers.daemon import wait

#: A whole frame of AMQP 0-9-1 (section 4.2.7).
HEARTBEAT = b"\x08\x00\x00\x00\x00\x00\x00\xce"


class Endpoint:
    """Notes its casts, and breaks the consumer's connection when it is asked to."""

    def __init__(self) -> None:
        self.served: Any = None
        self.all_noted = threading.Event()
        self._noted: list[int] = []

    def note(self, context: object, number: int) -> None:
        self._noted.append(number)
        if len(self._noted) == 50:
            self.all_noted.set()

    def noted(self, context: object) -> list[int]:
        return sorted(self._noted)

    def break_connection(self, context: object) -> None:
        amqp = self.served.listener._poll_style_listener.conn.connection.connection.connection
        amqp.transport.sock.shutdown(socket.SHUT_RDWR)


@pytest.fixture
def endpoint() -> Endpoint:
    return Endpoint()


@pytest.fixture
def beating(monkeypatch: pytest.MonkeyPatch) -> None:
    """A broker that sends a heartbeat behind whatever else it sends."""
    received = frames._received

    def and_heartbeat(receive: Callable[[int], bytes], size: int) -> bytes:
        read = received(receive, size)
        return read + HEARTBEAT if read.endswith(HEARTBEAT[-1:]) else read

    monkeypatch.setattr(frames, "_received", and_heartbeat)


@pytest.fixture
def api(conf: cfg.ConfigOpts, rabbit_vhost: str, endpoint: Endpoint) -> Iterator[client.API]:
    conf.set_override("transport_url", rabbit_vhost)
    endpoint.served = server.get_server("alpha.0", [endpoint])
    endpoint.served.start()
    try:
        yield client.API({}, timeout=60)
    finally:
        endpoint.served.close()
        endpoint.served.finish()
        transport.cleanup()


@contextlib.contextmanager
def held(listener: Any) -> Iterator[None]:
    """Have the consumer's thread take nothing inside the block."""
    begun, ended = threading.Event(), threading.Event()

    def hold() -> None:
        begun.set()
        ended.wait(60)

    listener._poll_style_listener._message_operations_handler.do(hold)
    assert begun.wait(60)
    try:
        yield
    finally:
        ended.set()


def test_an_idle_consumer_sees_soon_that_it_is_to_stop(api: client.API, endpoint: Endpoint) -> None:
    """oslo.messaging's own sees it after 5 s, and TERM of an idle conductor would take as long."""
    assert endpoint.served.listener._poll_style_listener.conn._poll_timeout <= 0.5


def test_messages_are_taken_together_also_on_a_connection_that_was_made_anew(
    api: client.API, endpoint: Endpoint, rabbit_vhost: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_waits() -> bool:
        with kombu.Connection(rabbit_vhost.replace("rabbit:", "amqp:")) as connection:
            queue = connection.default_channel.queue_declare("magnum-conductor", passive=True)
            return bool(queue.message_count == 0)

    api.call("noted")
    consumed = endpoint.served.listener._poll_style_listener.conn.connection
    ways = []
    consume = consumed.consume
    monkeypatch.setattr(consumed, "consume", lambda **how: ways.append(1) or consume(**how))
    api.call("break_connection")
    assert api.call("noted") == []
    with held(endpoint.served.listener):
        ways.clear()
        for number in range(50):
            api.cast("note", number=number)
        assert wait(none_waits, 60)
    assert endpoint.all_noted.wait(60)
    taken = len(ways)
    assert api.call("noted") == list(range(50))
    assert taken < 50


def test_a_heartbeat_that_comes_with_a_message_does_not_hold_the_consumer(
    beating: None, api: client.API, endpoint: Endpoint
) -> None:
    """It is no message: who waited for one would not acknowledge, send heartbeats or stop."""
    for _ in range(5):
        assert api.call("noted") == []
    looked = threading.Event()
    endpoint.served.listener._poll_style_listener._message_operations_handler.do(looked.set)
    assert looked.wait(60)
