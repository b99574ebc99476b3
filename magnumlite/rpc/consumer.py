"""The AMQP connection of a server's consumer: what oslo.messaging does not do for it.

Other transports have no such connection; there these do what can be done, or nothing.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Callable
from typing import Any

from oslo_log import log as logging

from magnumlite.rpc import frames

LOG = logging.getLogger(__name__)

#: Seconds for messages that are on their way when the consumer is cancelled.
_FLUSH = 2.0

#: Seconds after which a consumer that waits for a message sees that it is to stop.
_LOOK = 0.5

#: Messages that are taken on top of one that has come, if they have come as well. Few: calls are
#: acknowledged as they are taken, and another worker may have a slot for them sooner.
_MORE = 4


def look_often(listener: Any) -> None:
    """Have an idle consumer end soon after it is told to stop.

    One of oslo.messaging's waits up to 5 s for a message and only then sees it: a conductor that
    has nothing to do would be the slowest to end.
    """
    connection = _connection(listener)
    if hasattr(connection, "_poll_timeout"):
        connection._poll_timeout = min(connection._poll_timeout, _LOOK)


def take_together(listener: Any) -> None:
    """Have the consumer take what has come with a message, and not go the long way for each."""
    connection = getattr(_connection(listener), "connection", None)
    if connection is None:
        return
    take_one = connection.drain_events

    def take(**how: Any) -> None:
        # It is another one after each reconnection.
        amqp = connection.connection
        frames.read_ahead(amqp)
        take_one(**how)
        more = 0
        # Frame by frame: what has been read may be the beginning of a message, or no message but
        # a heartbeat, and the message that has come shall not wait for another.
        while more < _MORE and frames.ahead(amqp):
            more += bool(amqp.blocking_read())

    connection.drain_events = take


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


def acknowledge_late(listener: Any) -> None:
    """Have casts acknowledged by :func:`acknowledge`, and not when they are received.

    Calls still are: whoever waits for a reply is told by its own timeout.
    """
    poller: Any = getattr(listener, "_poll_style_listener", None)
    if not hasattr(poller, "use_cache"):
        return
    received = super(type(poller), poller).__call__

    def receive(message: Any) -> None:
        # Ids of casts are remembered when they are acknowledged: one that was given back may come
        # again.
        poller.use_cache = bool(message.get("_msg_id"))
        (poller if poller.use_cache else received)(message)

    for consumer in _connection(listener)._consumers:
        consumer.callback = receive


def acknowledge(message: Any) -> None:
    """Tell the broker that a cast need not be sent again."""
    operations = getattr(message, "_message_operations_handler", None)
    if operations is None:
        message.acknowledge()
        return
    message.listener.msg_id_cache.add(message.unique_id)
    operations.do(functools.partial(_told, message.message.acknowledge))


def give_back(message: Any) -> None:
    """Have the broker send a cast to another worker."""
    operations = getattr(message, "_message_operations_handler", None)
    if operations is None:
        message.requeue()
        return
    operations.do(functools.partial(_told, message.message.requeue))


def flush(listener: Any) -> None:
    """Wait until the broker has been told all that it was to be told.

    To be called when the listener's thread has ended and before its connection is closed.
    """
    _in_turn(listener, lambda: None)


def hand_back(listener: Any) -> None:
    """Take no more messages from the broker, and give back those that it has sent already.

    To be called when the listener's thread has ended.  oslo.messaging leaves its consumer
    registered until the connection is closed, which is after the drain, and closing it reads, and
    acknowledges, what the broker has sent meanwhile: those messages would be lost.
    """
    connection = _connection(listener)
    if getattr(connection, "_consumers", None):
        _in_turn(listener, lambda: _cancel(connection))


def _cancel(connection: Any) -> None:
    for consumer in connection._consumers:
        consumer.callback = _requeue
    # What connects and reads are libraries of several layers, each with errors of its own.
    try:
        for tag in connection._consumers.values():
            connection.channel.basic_cancel(str(tag), nowait=True)
        until = time.monotonic() + _FLUSH
        while time.monotonic() < until:
            connection.connection.drain_events(timeout=0.2)
    except TimeoutError:
        LOG.debug("Nothing is on its way any more")
    except Exception as error:
        LOG.info("The broker takes back what it has sent by itself: %s", error)


def _in_turn(listener: Any, operation: Callable[[], None]) -> None:
    """Run an operation in the thread that has the connection now, after those before it."""
    poller = getattr(listener, "_poll_style_listener", None)
    operations = getattr(poller, "_message_operations_handler", None)
    if operations is None:
        return
    done = threading.Event()

    def run() -> None:
        operation()
        done.set()

    operations.do(run)
    if not done.wait(2 * _FLUSH):
        LOG.warning("The broker's connection is busy; what it was not told it finds out later")


def _told(operation: Callable[[], None]) -> None:
    try:
        operation()
    except Exception as error:
        LOG.info("The broker could not be told, it will send the message again: %s", error)


def _requeue(message: Any) -> None:
    message.requeue()


def _connection(listener: Any) -> Any:
    """Return oslo.messaging's connection, which has kombu's, which has py-amqp's."""
    poller = getattr(listener, "_poll_style_listener", None)
    return getattr(getattr(poller, "conn", None), "connection", None)
