"""Replies to calls, by the short way to the caller's queue.

oslo.messaging makes an exchange, a producer's arguments and a retrying function anew for each
reply, which takes more of the processor than most calls do.  A reply on a connection that works
needs one AMQP message; where that fails, oslo.messaging's own way reconnects and tries again.
"""

from __future__ import annotations

import uuid
from typing import Any

import amqp
from oslo_log import log as logging
from oslo_messaging._drivers import common as rpc_common
from oslo_messaging._drivers import impl_rabbit
from oslo_serialization import jsonutils

LOG = logging.getLogger(__name__)

_PERSISTENT = 2


def reply(message: Any, result: Any = None, failure: Any = None) -> None:
    """Send the result of a call, or its failure (as sys.exc_info() has it).

    Raises:
        oslo_messaging.MessagingException: it cannot be delivered.
    """
    if not _published(message, result, failure):
        message.reply(result, failure=failure)


def _published(message: Any, result: Any, failure: Any) -> bool:
    """Publish an answer; False when that needs more than a message."""
    driver = getattr(getattr(message, "listener", None), "driver", None)
    if not isinstance(driver, impl_rabbit.RabbitDriver):
        return False
    answer = {
        "result": result,
        "failure": failure and rpc_common.serialize_remote_exception(failure),
        "ending": True,
        "_msg_id": message.msg_id,
        "_unique_id": uuid.uuid4().hex,
    }
    body = jsonutils.dumps(rpc_common.serialize_msg(answer))
    try:
        with driver._get_connection(rpc_common.PURPOSE_SEND) as pooled:
            connection = pooled.connection
            if connection.channel is None or connection.kombu_compression:
                return False
            with connection._connection_lock:
                connection.channel.basic_publish(
                    amqp.Message(
                        body,
                        content_type="application/json",
                        content_encoding="utf-8",
                        delivery_mode=_PERSISTENT,
                        priority=0,
                        application_headers={},
                    ),
                    routing_key=message.reply_q,
                    mandatory=connection.direct_mandatory_flag,
                )
    # What connects and publishes are libraries of several layers, each with errors of its own.
    except Exception as error:
        LOG.debug("The reply to %s takes the long way: %s", message.msg_id, error)
        return False
    return True
