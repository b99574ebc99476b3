"""Fixtures that give tests a real broker and real databases.

Servers are started when the first test asks for one and live for the run; each worker of
a run has its own.
`*_server` is the object to stop, kill, freeze and start; a test that asks for
a virtual host or a database finds the server running, whatever the test before
it did.  A server that is not installed skips its tests and is counted at the end.
"""

import collections
import contextlib
import shutil
import tempfile
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from tests.servers.daemon import Daemon, Missing
from tests.servers.mariadb import MariaDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.rabbitmq import RabbitMQ

Server = TypeVar("Server", bound=Daemon)


@pytest.fixture(scope="session")
def servers_directory() -> Iterator[Path]:
    """A directory that other users may pass through; short, for socket paths."""
    directory = Path(tempfile.mkdtemp(prefix="magnumlite-"))
    directory.chmod(0o711)
    yield directory
    shutil.rmtree(directory, ignore_errors=True)


@contextlib.contextmanager
def _running(kind: type[Server], parent: Path) -> Iterator[Server]:
    directory = parent / kind.name
    directory.mkdir(mode=0o700)
    try:
        server = kind(directory)
    except Missing as missing:
        pytest.skip(str(missing))
    try:
        server.start()
        yield server
    finally:
        server.close()


@pytest.fixture(scope="session")
def rabbit_server(servers_directory: Path) -> Iterator[RabbitMQ]:
    """The run's RabbitMQ."""
    with _running(RabbitMQ, servers_directory) as server:
        yield server


@pytest.fixture(scope="session")
def mariadb_server(servers_directory: Path) -> Iterator[MariaDB]:
    """The run's MariaDB."""
    with _running(MariaDB, servers_directory) as server:
        yield server


@pytest.fixture(scope="session")
def postgresql_server(servers_directory: Path) -> Iterator[PostgreSQL]:
    """The run's PostgreSQL."""
    with _running(PostgreSQL, servers_directory) as server:
        yield server


@pytest.fixture(scope="session")
def rabbit_url(rabbit_server: RabbitMQ) -> str:
    """The transport URL of RabbitMQ's virtual host "/"."""
    return rabbit_server.url


@pytest.fixture(scope="session")
def mariadb_url(mariadb_server: MariaDB) -> str:
    """The URL of MariaDB, with no database."""
    return mariadb_server.url


@pytest.fixture(scope="session")
def postgresql_url(postgresql_server: PostgreSQL) -> str:
    """The URL of PostgreSQL's own database."""
    return postgresql_server.url


@pytest.fixture
def rabbit_vhost(rabbit_server: RabbitMQ) -> Iterator[str]:
    """The transport URL of a virtual host of this test's own."""
    rabbit_server.start()
    vhost = _unique()
    rabbit_server.create_vhost(vhost)
    yield rabbit_server.vhost_url(vhost)
    rabbit_server.start()
    rabbit_server.delete_vhost(vhost)


@pytest.fixture
def mariadb_database(mariadb_server: MariaDB) -> Iterator[str]:
    """The URL of an empty MariaDB database of this test's own."""
    mariadb_server.start()
    database = _unique()
    mariadb_server.create_database(database)
    yield mariadb_server.database_url(database)
    mariadb_server.start()
    mariadb_server.drop_database(database)


@pytest.fixture
def postgresql_database(postgresql_server: PostgreSQL) -> Iterator[str]:
    """The URL of an empty PostgreSQL database of this test's own."""
    postgresql_server.start()
    database = _unique()
    postgresql_server.create_database(database)
    yield postgresql_server.database_url(database)
    postgresql_server.start()
    postgresql_server.drop_database(database)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a gate insist that every test ran."""
    parser.addoption("--fail-on-skip", action="store_true", help="fail when any test was skipped")


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Turn a success with skipped tests into a failure when asked to."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    if (
        reporter is not None  # a worker has none: the run's own process tells
        and session.config.getoption("--fail-on-skip")
        and session.exitstatus == pytest.ExitCode.OK
        and reporter.stats.get("skipped")
    ):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Count the skipped tests by reason."""
    reasons: collections.Counter[str] = collections.Counter()
    for report in terminalreporter.stats.get("skipped", []):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        reasons[str(reason).removeprefix("Skipped: ")] += 1
    for reason, count in reasons.most_common():
        terminalreporter.write_line(f"{count} skipped: {reason}", yellow=True)


def _unique() -> str:
    return f"test_{uuid.uuid4().hex[:12]}"
