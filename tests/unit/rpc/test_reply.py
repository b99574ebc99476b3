"""Replies that come later (B32)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from magnumlite.rpc import reply

FOREVER = 3600.0


class Sent:
    """What a Later has sent."""

    def __init__(self) -> None:
        self.replies: list[tuple[Any, BaseException | None]] = []
        self.one = threading.Event()

    def __call__(self, result: Any, error: BaseException | None) -> None:
        self.replies.append((result, error))
        self.one.set()


@pytest.fixture
def clock() -> Iterator[reply.Clock]:
    made = reply.Clock()
    yield made
    made.stop()


def never() -> Any:
    raise AssertionError("nobody waits so long")


def test_the_result_is_sent_when_it_is_there(clock: reply.Clock) -> None:
    sent, future = Sent(), Future[Any]()
    reply.Later(future, FOREVER, never).then(sent, clock)
    assert sent.replies == []
    future.set_result("done")
    assert sent.replies == [("done", None)]


def test_an_error_is_sent_as_one(clock: reply.Clock) -> None:
    sent, future, boom = Sent(), Future[Any](), RuntimeError("boom")
    future.set_exception(boom)
    reply.Later(future, FOREVER, never).then(sent, clock)
    assert sent.replies == [(None, boom)]


def test_who_has_waited_enough_is_answered_once(clock: reply.Clock) -> None:
    sent, future = Sent(), Future[Any]()
    reply.Later(future, 0, lambda: "on its way").then(sent, clock)
    assert sent.one.wait(30)
    future.set_result("done")
    assert sent.replies == [("on its way", None)]


def test_what_cannot_be_said_early_is_an_error(clock: reply.Clock) -> None:
    sent, gone = Sent(), LookupError("gone")

    def instead() -> Any:
        raise gone

    reply.Later(Future[Any](), 0, instead).then(sent, clock)
    assert sent.one.wait(30)
    assert sent.replies == [(None, gone)]


def test_the_clock_keeps_order_and_survives_what_fails(clock: reply.Clock) -> None:
    called: list[str] = []
    last = threading.Event()
    now = time.monotonic()

    def fail() -> None:
        called.append("fails")
        raise RuntimeError("cannot be sent")

    clock.at(now + 0.05, last.set)
    clock.at(now + 0.02, lambda: called.append("second"))
    clock.at(now, fail)
    assert last.wait(30)
    assert called == ["fails", "second"]


def test_a_clock_that_is_stopped_calls_what_is_left() -> None:
    made, called = reply.Clock(), []
    made.at(time.monotonic() + FOREVER, lambda: called.append("left"))
    made.stop()
    assert called == ["left"]
