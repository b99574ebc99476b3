"""Frames of py-amqp, read ahead."""

import socket
import struct
from types import SimpleNamespace
from typing import Any

import amqp.transport
import pytest

from magnumlite.rpc import frames


def frame(payload: bytes) -> bytes:
    return struct.pack(">BHI", 1, 0, len(payload)) + payload + b"\xce"


@pytest.fixture
def wire() -> Any:
    """A transport of py-amqp's, and the socket of the other end."""
    ours, theirs = socket.socketpair()
    transport = amqp.transport.TCPTransport("host")
    transport.sock = ours
    transport._setup_transport()
    transport.connected = True
    yield SimpleNamespace(transport=transport), theirs
    ours.close()
    theirs.close()


def test_frames_that_have_come_are_read_at_once(wire: Any) -> None:
    connection, theirs = wire
    asked = []
    receive = connection.transport._quick_recv
    connection.transport._quick_recv = lambda size: asked.append(size) or receive(size)
    frames.read_ahead(connection)
    theirs.sendall(frame(b"one") + frame(b"two"))
    assert connection.transport.read_frame() == (1, 0, b"one")
    assert frames.ahead(connection)
    assert connection.transport.read_frame() == (1, 0, b"two")
    assert not frames.ahead(connection)
    assert len(asked) == 1


def test_a_frame_larger_than_a_read_and_one_that_comes_in_parts(wire: Any) -> None:
    connection, theirs = wire
    frames.read_ahead(connection)
    connection.transport.sock.settimeout(0.01)
    late = frame(b"late")
    theirs.sendall(frame(b"x" * 50_000) + late[:5])
    assert connection.transport.read_frame() == (1, 0, b"x" * 50_000)
    with pytest.raises(TimeoutError):
        connection.transport.read_frame()
    assert not frames.ahead(connection)
    theirs.sendall(late[5:])
    assert connection.transport.read_frame() == (1, 0, b"late")


@pytest.mark.parametrize("missing", [0, 1, 4, 9, 11, 12])
def test_only_a_whole_frame_is_ahead(wire: Any, missing: int) -> None:
    connection, _ = wire
    whole = frame(b"late")
    connection.transport._read_buffer = whole[: len(whole) - missing]
    assert frames.ahead(connection) is (missing == 0)


def test_told_twice_it_wraps_once(wire: Any) -> None:
    connection, _ = wire
    frames.read_ahead(connection)
    once = connection.transport._quick_recv
    frames.read_ahead(connection)
    assert connection.transport._quick_recv is once


def test_without_a_transport_nothing_happens() -> None:
    frames.read_ahead(SimpleNamespace(transport=None))
