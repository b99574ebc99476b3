"""The process's connections to the broker: one transport for RPC, one for notifications.

Made after the fork, in the process that uses them (DESIGN section 2).
"""

from __future__ import annotations

import socket
import threading
from typing import Any

import oslo_messaging

from magnumlite.conf import CONF
from magnumlite.notifications import notifier as notifier_room

#: Exceptions of these modules are built again on the caller's side (contract/rpc.json).
EXMODS = ["magnum.common.exception"]

_lock = threading.Lock()
_rpc: Any = None


def init() -> None:
    """Make the RPC transport of this process, once."""
    global _rpc
    with _lock:
        if _rpc is None:
            _rpc = oslo_messaging.get_rpc_transport(CONF, allowed_remote_exmods=EXMODS)


def cleanup() -> None:
    """Close the transports of this process."""
    global _rpc
    notifier_room.cleanup()
    with _lock:
        if _rpc is not None:
            _rpc.cleanup()
        _rpc = None


def rpc() -> Any:
    """Return the RPC transport, made when it is not there yet."""
    init()
    return _rpc


def notification() -> Any:
    """Return the notification transport, made when it is not there yet (known defect B50)."""
    return notifier_room.transport()


def notifier() -> Any:
    """Return the notifier, publisher ``container-infra.<host>``."""
    return notifier_room.notifier()


def host() -> str:
    """Return this host's name: [DEFAULT]host, else the machine's (contract/notifications.md)."""
    return CONF.host or socket.getfqdn()
