"""Casts and calls on RabbitMQ: who waits for whom."""

import collections
import threading
from collections.abc import Iterator

import pytest
from oslo_config import cfg

from magnumlite.rpc import client, server, transport
from tests.servers.daemon import wait
from tests.servers.rabbitmq import RabbitMQ

TOPIC = "magnum-conductor"
CASTS = 10


class Endpoint:
    """Handles casts that do not end before `release` is set."""

    def __init__(self) -> None:
        self.release = threading.Event()
        self.begun: collections.Counter[int] = collections.Counter()
        self.ended: collections.Counter[int] = collections.Counter()

    def hold(self, context: object, number: int) -> None:
        self.begun[number] += 1
        self.release.wait(60)
        self.ended[number] += 1

    def answer(self, context: object) -> str:
        return "here"


@pytest.fixture
def broker(conf: cfg.ConfigOpts, rabbit_vhost: str) -> Iterator[None]:
    conf.set_override("transport_url", rabbit_vhost)
    yield
    transport.cleanup()


def serve(name: str, endpoint: Endpoint) -> server.Server:
    made = server.get_server(name, [endpoint])
    made.start()
    return made


def unacknowledged(broker: RabbitMQ, vhost: str) -> int:
    rows = broker.ctl(
        "list_queues", "-p", vhost.rpartition("/")[2], "name", "messages_unacknowledged"
    )
    counts = dict(row.split("\t") for row in rows.splitlines() if "\t" in row)
    return int(counts[TOPIC])


def test_a_call_overtakes_casts_that_are_being_accepted(broker: None) -> None:
    endpoint = Endpoint()
    served = serve("alpha.0", endpoint)
    try:
        api = client.API({}, timeout=30)
        for number in range(CASTS):
            api.cast("hold", number=number)
        assert wait(lambda: len(endpoint.begun) > 0, 30)
        assert api.call("answer") == "here"
        assert len(endpoint.begun) < CASTS
        endpoint.release.set()
        assert wait(lambda: endpoint.ended == dict.fromkeys(range(CASTS), 1), 30)
    finally:
        endpoint.release.set()
        served.close()
        served.finish()


def test_a_cast_is_acknowledged_when_it_was_accepted_and_not_before(
    broker: None, rabbit_server: RabbitMQ, rabbit_vhost: str
) -> None:
    endpoint = Endpoint()
    served = serve("alpha.0", endpoint)
    for number in range(CASTS):
        client.API({}, timeout=30).cast("hold", number=number)
    assert wait(lambda: len(endpoint.begun) > 0, 30)
    assert unacknowledged(rabbit_server, rabbit_vhost) == CASTS
    endpoint.release.set()
    assert wait(lambda: unacknowledged(rabbit_server, rabbit_vhost) == 0, 30)
    served.close()
    served.finish()
    assert endpoint.ended == dict.fromkeys(range(CASTS), 1)


def test_what_was_accepted_last_is_acknowledged_before_the_connection_closes(
    broker: None, rabbit_server: RabbitMQ, rabbit_vhost: str
) -> None:
    endpoint = Endpoint()
    endpoint.release.set()
    served = serve("alpha.0", endpoint)
    for number in range(CASTS):
        client.API({}, timeout=30).cast("hold", number=number)
    assert wait(lambda: len(endpoint.ended) == CASTS, 30)
    served.close()
    served.finish()
    assert rabbit_server.queue(rabbit_vhost.rpartition("/")[2], TOPIC) == (0, 0)


def test_casts_that_wait_go_to_another_worker_when_this_one_stops(broker: None) -> None:
    first, second = Endpoint(), Endpoint()
    stopping = serve("alpha.0", first)
    api = client.API({}, timeout=30)
    for number in range(CASTS):
        api.cast("hold", number=number)
    assert wait(lambda: len(first.begun) > 0, 30)
    closer = threading.Thread(target=stopping.close)
    closer.start()
    other = serve("alpha.1", second)
    try:
        second.release.set()
        assert wait(lambda: len(second.ended) == CASTS - len(first.begun), 30)
        first.release.set()
        closer.join(30)
        assert first.ended + second.ended == dict.fromkeys(range(CASTS), 1)
    finally:
        first.release.set()
        closer.join()
        stopping.finish()
        other.close()
        other.finish()
