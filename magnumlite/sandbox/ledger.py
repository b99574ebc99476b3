"""The CADF events that were sent, as a listener of the notification topic gets them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import oslo_messaging

from magnumlite.notifications import notifier


@dataclass(frozen=True)
class Event:
    """One event (contract/notifications.md)."""

    at: float  # time.monotonic() when it was received
    event_type: str  # such as magnum.cluster.create
    outcome: str  # pending, success, failure
    uuid: str
    name: str
    status: str
    reason: str

    @property
    def is_cluster(self) -> bool:
        """Whether it tells of a cluster, not of one of its parts."""
        return self.event_type.startswith("magnum.cluster.")

    @property
    def action(self) -> str:
        """What was done: create, update, delete."""
        return self.event_type.rpartition(".")[2]


class Ledger:
    """Keeps every event in the order of arrival, and lets others wait for one."""

    def __init__(self, show: Callable[[Event], None]) -> None:
        """Hand every event to `show` as it comes."""
        self._show = show
        self._events: list[Event] = []
        self._arrived = threading.Condition()
        self._abandoned = False
        self._listener: Any = None

    def open(self) -> None:
        """Begin to listen; events sent before are missed."""
        self._listener = oslo_messaging.get_notification_listener(
            notifier.transport(),
            [oslo_messaging.Target(topic="notifications")],
            [_Endpoint(self._receive)],
            executor="threading",
        )
        self._listener.start()

    def close(self) -> None:
        """Stop listening."""
        if self._listener is not None:
            self._listener.stop()
            self._listener.wait()

    def abandon(self) -> None:
        """Let nobody wait any more."""
        with self._arrived:
            self._abandoned = True
            self._arrived.notify_all()

    def __len__(self) -> int:
        return len(self._events)

    def wait_for(self, uuid: str, action: str, since: int, timeout: float) -> Event | None:
        """Return the first event that ends `action` on a cluster, None when none came in time.

        `since` is the length of the ledger before the action was asked for; `timeout` seconds.
        """
        end = time.monotonic() + timeout
        with self._arrived:
            while True:
                for event in self._events[since:]:
                    if (event.uuid, event.action) == (uuid, action) and event.outcome != "pending":
                        return event
                left = end - time.monotonic()
                if self._abandoned or left <= 0:
                    return None
                self._arrived.wait(left)

    def _receive(self, event: Event) -> None:
        with self._arrived:
            self._events.append(event)
            self._arrived.notify_all()
        self._show(event)


class _Endpoint:
    """Takes notifications of both priorities that the conductor uses."""

    def __init__(self, receive: Callable[[Event], None]) -> None:
        self._receive = receive

    def info(
        self, context: Any, publisher: str, event_type: str, payload: Any, metadata: Any
    ) -> None:
        target = payload.get("target", {})
        attachments = target.get("attachments") or [{}]
        content = attachments[0].get("content", {})
        self._receive(
            Event(
                at=time.monotonic(),
                event_type=event_type,
                outcome=payload.get("outcome", ""),
                uuid=target.get("id", ""),
                name=target.get("name") or "",
                status=content.get("status") or "",
                reason=content.get("status_reason") or "",
            )
        )

    error = info
