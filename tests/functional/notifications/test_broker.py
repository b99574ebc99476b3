"""Events and a real RabbitMQ."""

import threading
from collections.abc import Iterator
from typing import Any

import oslo_messaging
import pytest
from oslo_config import cfg

from magnumlite.notifications import events, notifier
from magnumlite.rpc import transport
from tests.servers.rabbitmq import RabbitMQ


@pytest.fixture(autouse=True)
def connections(conf: cfg.ConfigOpts, rabbit_server: RabbitMQ) -> Iterator[None]:
    transport.cleanup()
    conf.set_override("driver", ["messagingv2"], "oslo_messaging_notifications")
    yield
    transport.cleanup()


def vhost_of(url: str) -> str:
    return url.rpartition("/")[2]


def test_events_go_to_the_broker_of_notifications(
    conf: cfg.ConfigOpts, rabbit_server: RabbitMQ, rabbit_url: str, rabbit_vhost: str
) -> None:
    # B50
    conf.set_override("transport_url", rabbit_url)
    conf.set_override("transport_url", rabbit_vhost, "oslo_messaging_notifications")
    transport.rpc()
    events.cluster(None, "create", "pending")
    events.cluster(None, "create", "failure")
    for priority in ("info", "error"):
        queue = rabbit_server.queue(vhost_of(rabbit_vhost), f"notifications.{priority}")
        assert queue is not None
        assert queue.messages == 1
        assert rabbit_server.queue("/", f"notifications.{priority}") is None


def test_without_a_broker_of_their_own_events_go_to_that_of_rpc(
    conf: cfg.ConfigOpts, rabbit_vhost: str
) -> None:
    conf.set_override("transport_url", rabbit_vhost)
    got: list[tuple[Any, ...]] = []
    arrived = threading.Event()

    class Endpoint:
        def info(self, *args: Any) -> None:
            got.append(args)
            arrived.set()

    listener = oslo_messaging.get_notification_listener(
        notifier.transport(),
        [oslo_messaging.Target(exchange="magnum", topic="notifications")],
        [Endpoint()],
        executor="threading",
    )
    listener.start()
    try:
        events.cluster(None, "update", "success")
        assert arrived.wait(30)
    finally:
        listener.stop()
        listener.wait()
    ((_, publisher, event_type, payload, _),) = got
    assert publisher == f"container-infra.{conf.host}"
    assert event_type == "magnum.cluster.update"
    assert payload["outcome"] == "success"
