"""Signals arrive as values."""

import os
import signal
import threading
from collections.abc import Iterator

import pytest

from magnumlite.process import signals


@pytest.fixture
def inbox() -> Iterator[signals.Inbox]:
    numbers = (*signals.ANSWERED, signal.SIGCHLD)
    before = {number: signal.getsignal(number) for number in numbers}
    opened = signals.Inbox()
    opened.open()
    yield opened
    opened.close()
    for number, handler in before.items():
        signal.signal(number, handler)


def test_in_their_order(inbox: signals.Inbox) -> None:
    sent = [signal.SIGHUP, signal.SIGTERM, signal.SIGINT, signal.SIGTERM]
    for number in sent:
        os.kill(os.getpid(), number)
    assert inbox.wait(60) == sent


def test_none(inbox: signals.Inbox) -> None:
    assert inbox.wait(0) == []


def test_a_signal_ends_the_wait(inbox: signals.Inbox) -> None:
    def send() -> None:
        os.kill(os.getpid(), signal.SIGTERM)

    later = threading.Timer(0.1, send)
    later.start()
    assert inbox.wait(60) == [signal.SIGTERM]
    later.join()


def test_held_back_until_the_end_of_the_block(inbox: signals.Inbox) -> None:
    with signals.held():
        # To this thread: other tests may have left threads that do not hold it.
        signal.raise_signal(signal.SIGTERM)
        assert inbox.wait(0.05) == []
    assert inbox.wait(60) == [signal.SIGTERM]


def test_let_go_in_the_block(inbox: signals.Inbox) -> None:
    with signals.held():
        signal.raise_signal(signal.SIGHUP)
        signals.let_go()
        assert inbox.wait(60) == [signal.SIGHUP]
