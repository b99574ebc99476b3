"""The process's connection to the broker for RPC.

Made after the fork, in the process that uses it (DESIGN section 2).
"""

from __future__ import annotations

import threading
from typing import Any

import oslo_messaging

from magnumlite.conf import CONF
from magnumlite.notifications import notifier

#: Exceptions of these modules are built again on the caller's side (contract/rpc.json).
EXMODS = ["magnum.common.exception"]

_lock = threading.Lock()
_rpc: Any = None


def rpc() -> Any:
    """Return the RPC transport of this process, made when it is not there yet."""
    global _rpc
    with _lock:
        if _rpc is None:
            _rpc = oslo_messaging.get_rpc_transport(CONF, allowed_remote_exmods=EXMODS)
        return _rpc


def cleanup() -> None:
    """Close this process's connections to the broker; the next use makes new ones."""
    global _rpc
    notifier.cleanup()
    with _lock:
        if _rpc is not None:
            _rpc.cleanup()
        _rpc = None
