"""What the manager that started the service is told."""

import pathlib
import socket
from collections.abc import Iterator

import pytest

from magnumlite.process import systemd


@pytest.fixture
def manager(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    address = str(tmp_path / "notify")
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address)
        listening.settimeout(10)
        yield listening


def test_states(manager: socket.socket) -> None:
    systemd.ready("3 of 3")
    assert manager.recv(1000) == b"READY=1\nSTATUS=3 of 3"
    systemd.stopping("draining")
    assert manager.recv(1000) == b"STOPPING=1\nSTATUS=draining"
    systemd.extend()
    assert manager.recv(1000) == b"EXTEND_TIMEOUT_USEC=60000000"


def test_a_reload_carries_its_time(manager: socket.socket) -> None:
    systemd.reloading()
    first, second = manager.recv(1000).decode().splitlines()
    assert first == "RELOADING=1"
    assert second.startswith("MONOTONIC_USEC=")
    assert int(second.partition("=")[2]) > 0


def test_an_abstract_address(monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0magnumlite-test-notify")
        listening.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", "@magnumlite-test-notify")
        systemd.notify("STATUS=here")
        assert listening.recv(1000) == b"STATUS=here"


@pytest.mark.parametrize("address", ["", "/nowhere/to/be/found", "@nobody-listens-here"])
def test_nobody_listens(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOTIFY_SOCKET", address)
    assert systemd.notify("READY=1") is None
