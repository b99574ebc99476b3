"""Transports, clients and notifiers under magnum's names."""

from collections.abc import Iterator
from typing import Any

import oslo_messaging
import pytest
from oslo_config import cfg

from magnumlite import context as magnum_context
from magnumlite.compat import rpc


@pytest.fixture(autouse=True)
def fake(conf: cfg.ConfigOpts) -> Iterator[None]:
    rpc.cleanup()
    conf.set_override("transport_url", "fake://")
    rpc.init(conf)
    yield
    rpc.cleanup()


class Echo:
    def say(self, context: magnum_context.RequestContext, word: str) -> list[Any]:
        return [context.project_id, word]


def test_a_client_reaches_a_server_with_its_context() -> None:
    target = oslo_messaging.Target(topic="echo", server="here")
    server = rpc.get_server(target, [Echo()])
    server.start()
    try:
        client = rpc.get_client(oslo_messaging.Target(topic="echo"), timeout=30)
        context = magnum_context.RequestContext(project_id="p", is_admin=False)
        assert client.call(context, "say", word="hello") == ["p", "hello"]
    finally:
        server.stop()
        server.wait()


def test_a_notifier_is_named_after_service_and_host(conf: cfg.ConfigOpts) -> None:
    conf.set_override("host", "here")
    assert rpc.get_notifier().publisher_id == "container-infra.here"
    assert rpc.get_notifier("svc", host="there").publisher_id == "svc.there"
    assert rpc.get_notifier(publisher_id="me").publisher_id == "me"


def test_modules_of_exceptions() -> None:
    assert rpc.get_allowed_exmods() == ["magnum.common.exception"]
    rpc.add_extra_exmods("one", "two")
    assert rpc.get_allowed_exmods() == ["magnum.common.exception", "one", "two"]
    rpc.clear_extra_exmods()
    assert rpc.get_allowed_exmods() == ["magnum.common.exception"]


def test_transport_urls() -> None:
    assert rpc.get_transport_url().transport == "fake"
    assert rpc.get_transport_url("rabbit://h/").transport == "rabbit"


def test_the_exchange(conf: cfg.ConfigOpts) -> None:
    rpc.set_defaults("magnum")
    assert conf.control_exchange == "magnum"
