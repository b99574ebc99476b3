"""Frames of an AMQP connection, read as many at a time as have arrived.

A message is three frames of three fields, and py-amqp asks the socket for each field.  With many
threads that costs more than reading: at each of the nine another thread may take the interpreter.
What py-amqp has read beyond what it needs it keeps and takes first, so it may as well read more.
"""

from __future__ import annotations

import functools
import struct
from collections.abc import Callable
from typing import Any

#: Bytes that are asked for.
_AHEAD = 16384

#: A frame's type, channel and payload size; one octet ends it (AMQP 0-9-1, section 4.2.3).
_HEAD = struct.Struct(">BHI")
_END = 1


def read_ahead(connection: Any) -> None:
    """Have a connection of py-amqp's read what there is; to be told once it is connected."""
    transport: Any = getattr(connection, "transport", None)
    receive = getattr(transport, "_quick_recv", None)
    if receive is not None and not isinstance(receive, functools.partial):
        transport._quick_recv = functools.partial(_received, receive)


def ahead(connection: Any) -> bool:
    """Tell whether a whole frame has been read that was not asked for yet.

    Such a one can be had without a look at the socket, where it would be waited for.
    """
    read: bytes = getattr(connection.transport, "_read_buffer", b"")
    if len(read) < _HEAD.size + _END:
        return False
    size: int = _HEAD.unpack_from(read)[2]
    return len(read) >= _HEAD.size + size + _END


def _received(receive: Callable[[int], bytes], size: int) -> bytes:
    return receive(max(size, _AHEAD))
