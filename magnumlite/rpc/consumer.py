"""The AMQP connection of a server's consumer: three things that oslo.messaging does not do for it.

All do nothing on other transports, whose listeners have no such connection.
"""

from __future__ import annotations

import time
from typing import Any

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

#: Seconds for messages that are on their way when the consumer is cancelled.
_FLUSH = 2.0

#: Seconds after which a consumer that waits for a message sees that it is to stop.
_LOOK = 0.5


def look_often(listener: Any) -> None:
    """Have an idle consumer end soon after it is told to stop.

    One of oslo.messaging's waits up to 5 s for a message and only then sees it: a conductor that
    has nothing to do would be the slowest to end.
    """
    connection = _connection(listener)
    if hasattr(connection, "_poll_timeout"):
        connection._poll_timeout = min(connection._poll_timeout, _LOOK)


def send_heartbeat(listener: Any) -> None:
    """Tell the broker that the consumer is alive, while its thread waits for something else."""
    amqp = getattr(getattr(_connection(listener), "connection", None), "connection", None)
    send = getattr(amqp, "send_heartbeat", None)
    if send is None:
        return
    try:
        send()
    except OSError as error:
        LOG.warning("The broker's connection broke while intake waited: %s", error)


def hand_back(listener: Any) -> None:
    """Take no more messages from the broker, and give back those that it has sent already.

    To be called when the listener's thread has ended.  oslo.messaging leaves its consumer
    registered until the connection is closed, which is after the drain, and closing it reads, and
    acknowledges, what the broker has sent meanwhile: those messages would be lost.
    """
    connection = _connection(listener)
    consumers = getattr(connection, "_consumers", None)
    if not consumers:
        return
    for consumer in consumers:
        consumer.callback = _requeue
    # What connects and reads are libraries of several layers, each with errors of its own.
    try:
        for tag in consumers.values():
            connection.channel.basic_cancel(str(tag), nowait=True)
        until = time.monotonic() + _FLUSH
        while time.monotonic() < until:
            connection.connection.drain_events(timeout=0.2)
    except TimeoutError:
        LOG.debug("Nothing is on its way any more")
    except Exception as error:
        LOG.info("The broker takes back what it has sent by itself: %s", error)


def _requeue(message: Any) -> None:
    message.requeue()


def _connection(listener: Any) -> Any:
    """Return oslo.messaging's connection, which has kombu's, which has py-amqp's."""
    poller = getattr(listener, "_poll_style_listener", None)
    return getattr(getattr(poller, "conn", None), "connection", None)
