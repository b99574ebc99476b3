"""The RPC server of a worker: bounded intake, and replies that may come later.

oslo.messaging acknowledges a message on receipt and hands it to an unbounded executor: a killed
worker then loses its whole backlog.  Here a call takes one of `[conductor]request_slots` before it
goes to the executor and gives it back when its handler returns, so the backlog stays on the
broker, for other workers (DESIGN section 4, item 1).  Casts have a lane of their own and are
acknowledged when they are accepted.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import oslo_messaging
from oslo_log import log as logging
from oslo_messaging.rpc import dispatcher as rpc_dispatcher
from oslo_messaging.rpc import server as rpc_server
from oslo_versionedobjects import exception as ovo_exc

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.objects import versions
from magnumlite.rpc import consumer, publisher, reply, transport
from magnumlite.rpc.lane import Lane
from magnumlite.rpc.serializers import RequestSerializer

LOG = logging.getLogger(__name__)

#: Seconds between two looks of a consumer that waits for a slot.
_LOOK = 0.2


class Server(rpc_server.RPCServer):  # type: ignore[misc]
    """Takes calls while there is a slot, and casts while there is room for what they ask."""

    #: Tells whether there is room for more operations; set before start().
    room: Callable[[], bool] = staticmethod(lambda: True)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # oslo.messaging's own executor takes twice the time to hand a call to a thread.
        self._executor_cls = ThreadPoolExecutor
        self._slots = threading.BoundedSemaphore(CONF.conductor.request_slots)
        self._casts = Lane()
        self._closing = threading.Event()
        self._clock = reply.Clock()

    def close(self) -> None:
        """Take no more messages, and wait for the handlers of those in hand."""
        self._closing.set()
        self.stop()
        consumer.hand_back(self.listener)
        self._casts.close()
        if self._work_executor is not None:
            self._work_executor.shutdown(wait=True)

    def finish(self) -> None:
        """Send the replies that are still due, and close the consumer's connection."""
        self._clock.stop()
        consumer.flush(self.listener)
        self.wait()

    def consuming(self) -> bool:
        """Tell whether the consumer takes messages."""
        thread = getattr(self.listener, "_listen_thread", None)
        return not self._closing.is_set() and thread is not None and thread.is_alive()

    def _on_incoming(self, incoming: list[Any]) -> None:
        if _is_call(incoming[0]):
            self._take_slot()
        elif not self._casts.enter(incoming[0]):
            return
        super()._on_incoming(incoming)

    def _take_slot(self) -> None:
        """Wait for a slot, keeping the consumer's connection alive meanwhile.

        The consumer's thread also sends the AMQP heartbeats; without them the broker would
        close the connection of a worker that is only busy.
        """
        beat = time.monotonic()
        while not self._closing.is_set():
            if self._slots.acquire(timeout=_LOOK):
                return
            if time.monotonic() - beat > _heartbeat_interval():
                beat = time.monotonic()
                consumer.send_heartbeat(self.listener)
        self._slots.acquire()

    def _create_listener(self) -> Any:
        listener = super()._create_listener()
        consumer.look_often(listener)
        consumer.take_together(listener)
        consumer.acknowledge_late(listener)
        return listener

    def _process_incoming(self, incoming: list[Any]) -> None:
        message = incoming[0]
        if not _is_call(message):
            self._accept_in_turn(message)
            return
        try:
            message.acknowledge()
            self._handle(message)
        finally:
            self._slots.release()

    def _accept_in_turn(self, message: Any) -> None:
        """Handle a cast, and those behind it, until none waits or the server closes."""
        while message is not None:
            while not self.room() and not self._closing.is_set():
                self._closing.wait(_LOOK)
            if self._closing.is_set():
                consumer.give_back(message)
            else:
                self._accept(message)
            message = self._casts.next()

    def _accept(self, message: Any) -> None:
        try:
            self._handle(message)
        finally:
            # Accepted or refused: it need not come again. Not sooner: what was not accepted when
            # this worker was killed comes to another.
            consumer.acknowledge(message)

    def _handle(self, message: Any) -> None:
        method = message.message.get("method")
        reply.handling(_is_call(message), getattr(message, "unique_id", None))
        try:
            result = self.dispatcher.dispatch(message)
        except Exception as error:
            self._send(message, None, _cause(error, method, message.ctxt.get("request_id")))
            return
        if isinstance(result, reply.Later):
            result.then(lambda value, error: self._send(message, value, error), self._clock)
        else:
            self._send(message, result, None)

    def _send(self, message: Any, result: Any, error: BaseException | None) -> None:
        """Send a result, at the versions of the caller's objects, or an error."""
        if error is None:
            try:
                known = versions.found_in(message.message.get("args"))
                result = self.dispatcher.serializer.serialize_entity(
                    None, versions.at(result, known)
                )
            except Exception as unsendable:
                LOG.exception("The result of %s cannot be sent", message.message.get("method"))
                error = unsendable
        try:
            if error is None:
                publisher.reply(message, result)
            else:
                sent = exception.for_wire(error)
                publisher.reply(message, failure=(type(sent), sent, sent.__traceback__))
        except oslo_messaging.MessagingException as undeliverable:
            LOG.warning(
                "The reply to %s could not be delivered: %s",
                message.message.get("method"),
                undeliverable,
            )


def _is_call(message: Any) -> bool:
    """Tell whether somebody waits for a reply."""
    return bool(getattr(message, "reply_q", None) or getattr(message, "_reply_q", None))


def _cause(error: Exception, method: str | None, request: str | None) -> BaseException:
    """Return what the caller gets of `error`, and log it as loudly as it deserves."""
    cause: BaseException = error
    if isinstance(error, rpc_dispatcher.ExpectedException):
        cause = error.exc_info[1]
    if isinstance(cause, exception.MagnumException) and cause.code < 500:
        LOG.info("%s refused [%s]: %s", method, request, cause)
    elif isinstance(cause, _REFUSALS) or _never_entered(cause):
        LOG.warning("%s refused [%s]: %s", method, request, cause)
    elif cause is not error and isinstance(cause, _OF_ARGUMENTS):
        LOG.warning("%s failed [%s]: %s: %s", method, request, type(cause).__name__, cause)
    else:
        LOG.error("%s failed [%s]", method, request, exc_info=cause)
    return cause


#: Errors that say all there is to say: the request cannot be served by this version.
_REFUSALS = (
    rpc_dispatcher.RPCDispatcherError,
    ovo_exc.VersionedObjectsException,
    NotImplementedError,
)

#: What comes of an object's method that got arguments it cannot take.
_OF_ARGUMENTS = (AttributeError, TypeError, ValueError)


def _never_entered(error: BaseException) -> bool:
    """Tell whether a TypeError says that the request's arguments do not fit the handler."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return (
        isinstance(error, TypeError)
        and trace is not None
        and trace.tb_frame.f_code.co_filename == rpc_dispatcher.__file__
    )


def _heartbeat_interval() -> float:
    """Return the seconds between heartbeats, half of what the broker allows."""
    try:
        rabbit = CONF.oslo_messaging_rabbit
        return max(1.0, float(rabbit.heartbeat_timeout_threshold / rabbit.heartbeat_rate / 2))
    except AttributeError:
        return 10.0


def get_server(name: str, endpoints: Sequence[Any]) -> Server:
    """Return the server `name` for the endpoints on the conductor's topic; not yet started."""
    server: Server = oslo_messaging.get_rpc_server(
        transport.rpc(),
        oslo_messaging.Target(topic=CONF.conductor.topic, server=name),
        list(endpoints),
        serializer=RequestSerializer(),
        server_cls=Server,
    )
    return server
