"""This process's connection for notifications, which need not be the one for RPC.

It is [oslo_messaging_notifications]transport_url, else the RPC broker (known defect B50).
Made when first needed: after the fork, in the process that uses it.
"""

import threading
import time
from typing import Any

import oslo_messaging
from oslo_serialization import jsonutils

from magnumlite.conf import CONF
from magnumlite.context import RequestContext

#: Seconds for which nothing is sent after a broker of notifications has not taken one: each try
#: holds up the operation whose event it is.
REST = 30.0

_SECRETS = frozenset({"auth_token", "auth_token_info"})

_lock = threading.Lock()
_transport: Any = None
_notifier: Any = None
#: When sending may be tried again, by time.monotonic().
_rests_until = float("-inf")
#: Whether what this thread sends has failed: oslo.messaging logs it and goes on.
_sending = threading.local()


class _Serializer(oslo_messaging.Serializer):  # type: ignore[misc]
    """Sends payloads as JSON values and contexts without their tokens."""

    def serialize_entity(self, context: Any, entity: Any) -> Any:
        return jsonutils.to_primitive(entity, convert_instances=True)

    def deserialize_entity(self, context: Any, entity: Any) -> Any:
        return entity

    def serialize_context(self, context: RequestContext | dict[str, Any] | None) -> dict[str, Any]:
        # Newer versions of oslo.messaging hand over {} where the caller gave None.
        values = context.to_dict() if isinstance(context, RequestContext) else context or {}
        return {key: None if key in _SECRETS else value for key, value in values.items()}

    def deserialize_context(self, context: dict[str, Any]) -> RequestContext:
        return RequestContext.from_dict(context)


def _make() -> None:
    global _transport, _notifier
    with _lock:
        if _notifier is None:
            _transport = oslo_messaging.get_notification_transport(CONF)
            _transport._send_notification = _noting_failure(_transport._send_notification)
            _notifier = oslo_messaging.Notifier(
                _transport,
                publisher_id=f"container-infra.{CONF.host}",
                serializer=_Serializer(),
            )


def transport() -> Any:
    """Return the transport, for who listens to it in this process."""
    _make()
    return _transport


def notifier() -> Any:
    """Return the oslo_messaging.Notifier, publisher `container-infra.<[DEFAULT]host>`."""
    _make()
    return _notifier


def send(context: Any, event_type: str, payload: Any, *, failure: bool) -> bool:
    """Send an event; False when it is not out.

    While the broker rests, see `REST`, nothing is tried.
    """
    global _rests_until
    made = notifier()
    with _lock:
        was_down = _rests_until > float("-inf")
        if time.monotonic() < _rests_until:
            return False
        if was_down:
            # One thread tries; the others need not wait for it.
            _rests_until = time.monotonic() + REST
    _sending.failed = False
    (made.error if failure else made.info)(context, event_type, payload)
    sent = not _sending.failed
    if was_down or not sent:
        with _lock:
            _rests_until = float("-inf") if sent else time.monotonic() + REST
    return sent


def _noting_failure(send_one: Any) -> Any:
    def send_and_note(*args: Any, **kwargs: Any) -> Any:
        try:
            return send_one(*args, **kwargs)
        except Exception:
            _sending.failed = True
            raise

    return send_and_note


def cleanup() -> None:
    """Close the connection; the next use makes a new one."""
    global _transport, _notifier, _rests_until
    with _lock:
        if _transport is not None:
            _transport.cleanup()
        _transport = _notifier = None
        _rests_until = float("-inf")
