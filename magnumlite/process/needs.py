"""What a start needs: a database that answers and has the right schema, a broker that answers."""

import contextlib
import socket
import time
from collections.abc import Callable

import oslo_messaging
import sqlalchemy as sa
from oslo_db import exception as db_exc
from oslo_db.sqlalchemy import engines
from oslo_log import log
from oslo_utils import netutils

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.db import schema

LOG = log.getLogger(__name__)

#: Seconds between two attempts, and until the same failure is logged again.
PAUSE, REPEAT = 2.0, 30.0
#: Seconds for one broker host to answer.
_CONNECT_TIMEOUT = 3.0
#: Transport to the port of a host that names none. Others have no address to try.
_PORTS = {"rabbit": 5672, "amqp": 5672, "kombu+amqp": 5672}

#: What makes trying again pointless: the operator must change something.
_HOPELESS = (exception.ConfigInvalid, exception.SchemaMismatch)


def check() -> int:
    """Wait for database and broker; return 0, or 1 when waiting is pointless.

    Either way, one line tells what is the matter. Opens connections: not for the parent.
    """
    problem = None
    try:
        _await_database()
        _await_broker()
    except _HOPELESS as error:
        problem = _line(error)
    # Not in the handler: oslo.log adds the exception to what is logged there.
    if problem is None:
        return 0
    LOG.critical("Cannot start: %s", problem)
    return 1


def database_address() -> str:
    """Return ``[database]connection`` with its password masked.

    Raises: ConfigInvalid.
    """
    return _database_url().render_as_string(hide_password=True)


def broker_address() -> str:
    """Return ``[DEFAULT]transport_url`` without its users and passwords.

    Raises: ConfigInvalid.
    """
    url = _broker_url()
    hosts = ",".join(f"{netutils.escape_ipv6(host)}:{port}" for host, port in _brokers(url)) or "-"
    return f"{url.transport}://{hosts}/{url.virtual_host or ''}"


def _await_database() -> None:
    url = _database_url()

    def connect() -> None:
        engine = engines.create_engine(
            url, max_retries=0, connection_parameters=CONF.database.connection_parameters
        )
        with contextlib.closing(engine.connect()):
            pass
        engine.dispose()

    _until("The database", database_address(), connect, (db_exc.DBError, sa.exc.DBAPIError))
    schema.require_current()
    schema.ensure_own_tables()


def _await_broker() -> None:
    hosts = _brokers(_broker_url())
    if not hosts:
        return

    def connect() -> None:
        for number, address in enumerate(hosts, start=1):
            try:
                socket.create_connection(address, _CONNECT_TIMEOUT).close()
            except OSError:
                if number == len(hosts):
                    raise
            else:
                return

    _until("The message broker", broker_address(), connect, (OSError,))


def _until(
    what: str, address: str, attempt: Callable[[], None], failures: tuple[type[Exception], ...]
) -> None:
    """Repeat ``attempt`` until it does not fail; tell so at a rate that a log can bear."""
    told, told_at = "", 0.0
    while (problem := _failure(attempt, failures)) is not None:
        if problem != told or time.monotonic() - told_at >= REPEAT:
            LOG.error("%s at %s cannot be reached, trying again: %s", what, address, problem)
            told, told_at = problem, time.monotonic()
        time.sleep(PAUSE)
    if told:
        LOG.info("%s at %s answers now", what, address)


def _failure(attempt: Callable[[], None], failures: tuple[type[Exception], ...]) -> str | None:
    try:
        attempt()
    except failures as error:
        return _line(error)
    return None


def _database_url() -> sa.URL:
    try:
        url = sa.make_url(CONF.database.connection)
    except (sa.exc.ArgumentError, ValueError) as error:
        raise _unreadable("[database]connection") from error
    try:
        url.get_dialect().import_dbapi()
    except (sa.exc.ArgumentError, ImportError) as error:
        raise exception.ConfigInvalid(
            error_msg=f"[database]connection: {url.drivername} cannot be used: {error}"
        ) from error
    return url


def _broker_url() -> oslo_messaging.TransportURL:
    try:
        return oslo_messaging.TransportURL.parse(CONF)
    except (oslo_messaging.InvalidTransportURL, ValueError) as error:
        raise _unreadable("[DEFAULT]transport_url") from error


def _unreadable(option: str) -> exception.ConfigInvalid:
    """Make the error of a URL that cannot be read; parts of it may be parts of a password."""
    return exception.ConfigInvalid(
        error_msg=f"{option} is not a URL that can be read; in user and password, characters"
        " other than letters and digits must be percent-encoded"
    )


def _brokers(url: oslo_messaging.TransportURL) -> list[tuple[str, int]]:
    port = _PORTS.get(url.transport)
    if port is None:
        return []
    hosts = [(host.hostname or "localhost", host.port or port) for host in url.hosts]
    return hosts or [("localhost", port)]


def _line(error: Exception) -> str:
    """Return the cause that the database driver or the system tells, in one line."""
    inner = getattr(error, "inner_exception", None) or error
    return " ".join(str(getattr(inner, "orig", None) or inner).split())
