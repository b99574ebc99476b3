"""The server on the memory transport."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import oslo_messaging
import pytest

from magnumlite import objects
from magnumlite.rpc import reply, server, transport
from magnumlite.rpc.serializers import RequestSerializer


class Endpoint:
    """Answers at once and later."""

    def at_once(self, context: Any, cluster: Any = None) -> Any:
        return context.project_id, cluster and cluster.name

    def later(self, context: Any) -> Any:
        future = Future[Any]()
        future.set_result(objects.Cluster(name="made"))
        return reply.Later(future, 60, lambda: None)

    def unsendable(self, context: Any) -> Any:
        future = Future[Any]()
        # A field of the wrong type: what is made of it cannot be sent.
        broken = objects.Cluster(name="made")
        broken._obj_labels = 5
        future.set_result(broken)
        return reply.Later(future, 60, lambda: None)

    def wrong(self, context: Any) -> Any:
        raise TypeError("inside the handler")


@pytest.fixture
def client(conf: Any) -> Iterator[Any]:
    conf.set_override("transport_url", "fake://")
    serving = server.get_server("here.0", [Endpoint()])
    serving.start()
    target = oslo_messaging.Target(topic=conf.conductor.topic)
    yield oslo_messaging.get_rpc_client(
        transport.rpc(), target, timeout=30, serializer=RequestSerializer()
    )
    serving.close()
    serving.finish()
    transport.cleanup()


CONTEXT = {"project_id": "p", "is_admin": False, "a key of tomorrow's": 1}


def test_context_and_objects_arrive(client: Any) -> None:
    cluster = objects.Cluster(name="sent")
    assert client.call(CONTEXT, "at_once", cluster=cluster) == ["p", "sent"]


def test_a_later_reply_is_sent(client: Any) -> None:
    assert client.call(CONTEXT, "later").name == "made"


def test_a_result_that_cannot_be_sent_is_an_error_not_silence(client: Any) -> None:
    # B66
    with pytest.raises((TypeError, AttributeError)):
        client.call(CONTEXT, "unsendable")


@pytest.mark.parametrize(
    ("method", "arguments", "traced"),
    [("at_once", {"other": 1}, False), ("no_such", {}, False), ("wrong", {}, True)],
)
def test_a_request_that_does_not_fit_leaves_one_line(
    client: Any,
    caplog: pytest.LogCaptureFixture,
    method: str,
    arguments: dict[str, Any],
    traced: bool,
) -> None:
    with pytest.raises(Exception):  # noqa: B017, PT011
        client.call(CONTEXT, method, **arguments)
    (record,) = [r for r in caplog.records if r.name == server.__name__]
    assert bool(record.exc_info) is traced
    assert record.levelname == ("ERROR" if traced else "WARNING")


@pytest.mark.parametrize("version", ["1.1", "2.0"])
def test_another_version_is_refused(client: Any, version: str) -> None:
    with pytest.raises(Exception, match="does not support RPC version"):
        client.prepare(version=version).call(CONTEXT, "at_once")
    assert client.prepare(version="1.0").call(CONTEXT, "at_once") == ["p", None]
