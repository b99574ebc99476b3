"""Replies on RabbitMQ, by the short way and, when it is broken, by the long one."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from oslo_config import cfg

from magnumlite.rpc import client, publisher, server, transport
from tests.servers.daemon import wait

SOME = {"text": "naïve ☸", "list": [1, None, 2.5], "long": "x" * 300_000}


class Endpoint:
    def __init__(self) -> None:
        self.served: Any = None

    def answer(self, context: object) -> dict[str, Any]:
        return SOME

    def answer_after_a_break(self, context: object) -> dict[str, Any]:
        pool = self.served.listener._poll_style_listener.driver._connection_pool
        # The caller's thread may still hold the connection that it has sent the call on.
        assert wait(lambda: len(pool._items) == pool._current_size, 60)
        for _, connection in pool._items:
            connection.channel.connection.transport.sock.close()
        return SOME

    def fail(self, context: object) -> None:
        raise ValueError("so be it")


@pytest.fixture
def api(conf: cfg.ConfigOpts, rabbit_vhost: str) -> Iterator[client.API]:
    conf.set_override("transport_url", rabbit_vhost)
    endpoint = Endpoint()
    endpoint.served = server.get_server("alpha.0", [endpoint])
    endpoint.served.start()
    try:
        yield client.API({}, timeout=60)
    finally:
        endpoint.served.close()
        endpoint.served.finish()
        transport.cleanup()


def test_a_result_takes_the_short_way(api: client.API, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="oslo_messaging")
    assert api.call("answer") == SOME
    assert [text for text in caplog.messages if text.startswith("sending reply")] == []


def test_a_failure_takes_it_too(api: client.API, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="oslo_messaging")
    with pytest.raises(ValueError, match="so be it"):
        api.call("fail")
    assert [text for text in caplog.messages if text.startswith("sending reply")] == []


def test_a_connection_that_breaks_costs_no_reply(
    api: client.API, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger=publisher.__name__)
    assert api.call("answer_after_a_break") == SOME
    assert [text for text in caplog.messages if "takes the long way" in text]
    assert api.call("answer") == SOME
