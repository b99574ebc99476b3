"""The process's connections to the broker: one transport for RPC, one for notifications.

Made after the fork, in the process that uses them (DESIGN section 2).
"""

from __future__ import annotations

import socket
import threading
from typing import Any

import oslo_messaging
from oslo_config import cfg
from oslo_messaging._drivers import impl_rabbit
from oslo_messaging.rpc import dispatcher  # noqa: F401  (registers what set_defaults changes)
from oslo_serialization import jsonutils

from magnumlite.conf import CONF
from magnumlite.context import RequestContext

#: Exceptions of these modules are built again on the caller's side (contract/rpc.json).
EXMODS = ["magnum.common.exception"]

#: Messages the broker hands to a worker ahead of its intake.  The backlog stays on the broker,
#: for other workers (DESIGN section 4): oslo.messaging acknowledges on receipt.
PREFETCH = 4

_lock = threading.Lock()
_rpc: Any = None
_notification: Any = None
_notifier: Any = None


class NotificationContextSerializer(oslo_messaging.Serializer):  # type: ignore[misc]
    """Sends a context without its secrets; the payload as JSON primitives."""

    _SECRET = frozenset({"auth_token", "auth_token_info", "service_token"})

    def serialize_entity(self, context: Any, entity: Any) -> Any:
        """Return the payload as what JSON holds."""
        return jsonutils.to_primitive(entity, convert_instances=True)

    def deserialize_entity(self, context: Any, entity: Any) -> Any:
        """Return the payload as it is."""
        return entity

    def serialize_context(self, context: RequestContext | None) -> dict[str, Any]:
        """Return the context as a dict; tokens are left out (contract/README.md, known bugs)."""
        if context is None:
            return {}
        return {
            key: None if key in self._SECRET else value for key, value in context.to_dict().items()
        }

    def deserialize_context(self, context: dict[str, Any]) -> RequestContext:
        """Return the context of a dict."""
        return RequestContext.from_dict(context)


def set_defaults() -> None:
    """Set the defaults of oslo.messaging that differ for magnum; called before parsing."""
    oslo_messaging.set_transport_defaults("magnum")
    cfg.set_defaults(impl_rabbit.rabbit_opts, rabbit_qos_prefetch_count=PREFETCH)


def init() -> None:
    """Make the transports and the notifier of this process, once."""
    global _rpc, _notification, _notifier
    with _lock:
        if _rpc is not None:
            return
        set_defaults()
        _rpc = oslo_messaging.get_rpc_transport(CONF, allowed_remote_exmods=EXMODS)
        _notification = oslo_messaging.get_notification_transport(
            CONF, allowed_remote_exmods=EXMODS
        )
        _notifier = oslo_messaging.Notifier(
            _notification,
            publisher_id=f"container-infra.{host()}",
            serializer=NotificationContextSerializer(),
        )


def cleanup() -> None:
    """Close the transports of this process."""
    global _rpc, _notification, _notifier
    with _lock:
        for transport in (_notification, _rpc):
            if transport is not None:
                transport.cleanup()
        _rpc = _notification = _notifier = None


def rpc() -> Any:
    """Return the RPC transport, made when it is not there yet."""
    init()
    return _rpc


def notification() -> Any:
    """Return the notification transport, made when it is not there yet (known defect B50)."""
    init()
    return _notification


def notifier() -> Any:
    """Return the notifier, publisher ``container-infra.<host>``."""
    init()
    return _notifier


def host() -> str:
    """Return this host's name: [DEFAULT]host, else the machine's (contract/notifications.md)."""
    return CONF.host or socket.getfqdn()
