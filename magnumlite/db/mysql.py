"""PyMySQL's connections, without the cost of reading the system's CA certificates for each."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from pymysql.connections import Connection

_plain: Any = None


class LightConnection(Connection):  # type: ignore[misc]
    """Shares the TLS context of connections that have no TLS options.

    Those encrypt when the server can and verify nothing, but PyMySQL loads all trusted
    certificates for every one of them: 20 ms, while a transaction takes two.
    """

    def _create_ssl_ctx(self, sslp: Any) -> Any:
        global _plain
        if sslp:
            return super()._create_ssl_ctx(sslp)
        if _plain is None:
            _plain = super()._create_ssl_ctx(sslp)
        return _plain


@sa.event.listens_for(sa.Engine, "do_connect")
def _connect(dialect: Any, record: Any, arguments: Any, options: Any) -> Any:
    if dialect.driver == "pymysql":
        return LightConnection(*arguments, **options)
    return None
