"""Tell systemd where the service stands: sd_notify(3)."""

import contextlib
import os
import socket
import time

#: Seconds by which each :func:`extend` puts off systemd's start or stop timeout.
EXTENSION = 60


def notify(*lines: str) -> None:
    """Send ``lines`` to the manager named by NOTIFY_SOCKET; nothing without one.

    A manager that does not listen is no reason to fail.
    """
    address = os.environ.get("NOTIFY_SOCKET", "")
    if not address:
        return
    if address.startswith("@"):
        address = "\0" + address[1:]
    with (
        contextlib.suppress(OSError),
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel,
    ):
        channel.connect(address)
        channel.send("\n".join(lines).encode())


def ready(status: str) -> None:
    """The service is up, or has reloaded."""
    notify("READY=1", f"STATUS={status}")


def reloading() -> None:
    """A reload has begun; :func:`ready` ends it."""
    notify("RELOADING=1", f"MONOTONIC_USEC={time.monotonic_ns() // 1000}")


def stopping(status: str) -> None:
    """The service drains and ends."""
    notify("STOPPING=1", f"STATUS={status}")


def extend() -> None:
    """Starting or stopping goes on: put off the timeout by :data:`EXTENSION`."""
    notify(f"EXTEND_TIMEOUT_USEC={EXTENSION * 1_000_000}")
