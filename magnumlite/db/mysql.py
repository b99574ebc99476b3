"""PyMySQL's connections, lighter to open and to take from the pool."""

from __future__ import annotations

import functools
import time
from typing import Any

from pymysql.connections import Connection
from pymysql.protocol import FieldDescriptorPacket, MysqlPacket

#: Seconds after its last answer in which a connection is not asked whether it is alive.
FRESH = 1.0

_plain: Any = None


class LightConnection(Connection):  # type: ignore[misc]
    """A connection that does nothing twice.

    Without TLS options it encrypts if the server can, and verifies nothing; but PyMySQL loads all
    trusted certificates for each such connection: 20 ms, while a transaction takes two. Here they
    share one context.

    The pool asks each connection whether it is alive before it hands it out. One that has just
    answered is: if it breaks all the same, the transaction fails as it does when it breaks later.

    With each result the server says what its columns are, and PyMySQL takes that apart field by
    field: of a cluster's row, which has thirty, it is the better part of reading it. See `column`.
    """

    _answered_at = float("-inf")

    def query(self, *args: Any, **kwargs: Any) -> Any:
        """Send a statement; return what PyMySQL does."""
        result = super().query(*args, **kwargs)
        self._answered_at = time.monotonic()
        return result

    def ping(self, *args: Any, **kwargs: Any) -> None:
        """Ask the server whether the connection is alive, unless it has just shown that it is."""
        if time.monotonic() - self._answered_at > FRESH:
            super().ping(*args, **kwargs)

    def _read_packet(self, packet_type: Any = MysqlPacket) -> Any:
        return super()._read_packet(column if packet_type is FieldDescriptorPacket else packet_type)

    def _create_ssl_ctx(self, sslp: Any) -> Any:
        global _plain
        if sslp:
            return super()._create_ssl_ctx(sslp)
        if _plain is None:
            _plain = super()._create_ssl_ctx(sslp)
        return _plain


@functools.lru_cache(maxsize=4096)
def column(data: bytes, encoding: str) -> FieldDescriptorPacket:
    """Return what a packet says about a column; the same packet always says the same."""
    return FieldDescriptorPacket(data, encoding)
