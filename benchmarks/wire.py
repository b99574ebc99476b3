"""The least client there is: oslo.messaging's wire format on py-amqp.

Its own cost is small, so that what limits the figures is the conductor (contract/rpc.json).
"""

import itertools
import json
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import amqp

EXCHANGE = "magnum"
QUEUE = "magnum-conductor"

#: Who asks; what else a context may hold is optional.
CONTEXT = {
    "user_id": "bench-user",
    "project_id": "bench",
    "roles": ["member"],
    "is_admin": False,
    "show_deleted": False,
    "all_tenants": False,
    "request_id": "req-bench",
}
#: What an API of release 23.0.0 knows of the objects that are read here.
VERSIONS = {"Cluster": "1.24", "ClusterTemplate": "1.21"}

Request = tuple[str, dict[str, Any]]


def read(method: str, *args: Any, **kwargs: Any) -> Request:
    """Return the request for a class method of Cluster."""
    return "object_class_action_versions", {
        "objname": "Cluster",
        "objmethod": method,
        "args": args,
        "kwargs": kwargs,
        "object_versions": VERSIONS,
    }


class Client:
    """One connection with one queue for replies; not safe for threads."""

    def __init__(self, port: int, vhost: str) -> None:
        self._connection = amqp.Connection(f"127.0.0.1:{port}", virtual_host=vhost)
        self._connection.connect()
        self._channel = self._connection.channel()
        self._replies = f"reply_{uuid.uuid4().hex}"
        self._channel.queue_declare(self._replies, exclusive=True)
        self._channel.basic_consume(self._replies, callback=self._on_reply, no_ack=True)
        self._sent: dict[str, float] = {}
        self._on_answer: Callable[[float, dict[str, Any]], None] = lambda latency, answer: None

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *exc: object) -> None:
        self._connection.close()

    def consumers(self) -> int:
        """Return how many consumers the conductors' queue has; 0 when there is no queue."""
        channel = self._connection.channel()
        try:
            return int(channel.queue_declare(QUEUE, passive=True).consumer_count)
        except amqp.exceptions.NotFound:
            return 0
        finally:
            if channel.is_open:
                channel.close()

    def cast(self, request: Request) -> None:
        """Send a request that has no reply."""
        self._publish(request, {})

    def call(self, request: Request, timeout: float = 60) -> dict[str, Any]:
        """Send a request and return its reply.

        Raises: TimeoutError.
        """
        answers: list[dict[str, Any]] = []
        self._on_answer = lambda latency, answer: answers.append(answer)
        self._send(request)
        end = time.monotonic() + timeout
        while not answers:
            if time.monotonic() > end:
                raise TimeoutError(request[0])
            self._drain(0.5)
        return answers[0]

    def keep_under_way(
        self, requests: Iterator[Request], calls: int, seconds: float
    ) -> tuple[list[float], int]:
        """Keep so many calls under way for so long; return latencies (s) and errors."""
        latencies: list[float] = []
        errors = 0
        stop = time.monotonic() + seconds

        def answered(latency: float, answer: dict[str, Any]) -> None:
            nonlocal errors
            latencies.append(latency)
            errors += bool(answer.get("failure"))
            if time.monotonic() < stop:
                self._send(next(requests))

        self._on_answer = answered
        for request in itertools.islice(requests, calls):
            self._send(request)
        while self._sent and time.monotonic() < stop + 10:
            self._drain(0.5)
        return latencies, errors + len(self._sent)

    def every(
        self, interval: float, requests: Iterator[Request], seconds: float, patience: float
    ) -> tuple[list[float], int]:
        """Make a call each `interval` s, whether or not earlier ones have returned.

        Waits `patience` s more for what is under way; what is not answered then counts as an
        error, with the time it has waited.
        """
        latencies: list[float] = []
        errors = 0

        def answered(latency: float, answer: dict[str, Any]) -> None:
            nonlocal errors
            latencies.append(latency)
            errors += bool(answer.get("failure"))

        self._on_answer = answered
        begin = time.monotonic()
        for number in range(round(seconds / interval)):
            while (left := begin + number * interval - time.monotonic()) > 0:
                self._drain(left)
            self._send(next(requests))
        end = time.monotonic() + patience
        while self._sent and time.monotonic() < end:
            self._drain(0.5)
        now = time.monotonic()
        return [*latencies, *(now - sent for sent in self._sent.values())], errors + len(self._sent)

    def _send(self, request: Request) -> None:
        message_id = uuid.uuid4().hex
        self._sent[message_id] = time.monotonic()
        self._publish(request, {"_msg_id": message_id, "_reply_q": self._replies, "_timeout": None})

    def _publish(self, request: Request, reply: dict[str, Any]) -> None:
        method, args = request
        body = {"method": method, "args": args, "_unique_id": uuid.uuid4().hex, **reply}
        body.update((f"_context_{key}", value) for key, value in CONTEXT.items())
        message = amqp.Message(
            json.dumps({"oslo.version": "2.0", "oslo.message": json.dumps(body)}),
            content_type="application/json",
            content_encoding="utf-8",
            delivery_mode=2,
            priority=0,
        )
        self._channel.basic_publish(message, EXCHANGE, QUEUE)

    def _on_reply(self, message: amqp.Message) -> None:
        answer = json.loads(json.loads(message.body)["oslo.message"])
        sent = self._sent.pop(answer["_msg_id"], None)
        if sent is not None:
            self._on_answer(time.monotonic() - sent, answer)

    def _drain(self, timeout: float) -> None:
        try:
            self._connection.drain_events(timeout=timeout)
        except OSError as error:
            if not isinstance(error, TimeoutError) and "timed out" not in str(error):
                raise
