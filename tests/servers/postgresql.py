"""A private PostgreSQL."""

import os
import pwd
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg2

from tests.servers.daemon import Daemon, program


class PostgreSQL(Daemon):
    """PostgreSQL on loopback; what was committed survives kill and start.

    Its time zone is far from UTC, so that a query that takes the session's
    clock for UTC shows.
    """

    name = "postgresql"
    last_wish = "INT"  # "fast": does not wait for clients

    def __init__(self, directory: Path) -> None:
        """Find the programs. Raises: Missing."""
        super().__init__(directory)
        versions = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
        places = [str(version) for version in versions]
        self._server = program("postgres", "postgresql", *places)
        self._initdb = program("initdb", "postgresql", *places)
        if os.geteuid() == 0:  # PostgreSQL refuses to run as root
            self.user = _other_user()
            os.chown(directory, pwd.getpwnam(self.user).pw_uid, -1)

    @property
    def url(self) -> str:
        """The URL of the database every server has."""
        return self.database_url("postgres")

    def database_url(self, database: str) -> str:
        """Return the SQLAlchemy URL of a database."""
        return f"postgresql+psycopg2://magnum@127.0.0.1:{self.port}/{database}"

    def prepare(self) -> None:
        """Make the data directory."""
        self.run(
            [
                self._initdb,
                f"--pgdata={self.directory / 'data'}",
                "--username=magnum",
                "--auth=trust",
                "--encoding=UTF8",
                "--no-sync",
            ]
        )

    def command(self) -> Sequence[str]:
        """Return the server's command."""
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self.port),
            "unix_socket_directories": "",
            "timezone": "Asia/Kolkata",
            "fsync": "off",  # safe against kill, not against a power cut
            "max_connections": "200",
        }
        options = [part for item in settings.items() for part in ("-c", "=".join(item))]
        return [self._server, "-D", str(self.directory / "data"), *options]

    def ready(self) -> bool:
        """Tell whether the user may log in."""
        try:
            self._connect("postgres").close()
        except psycopg2.Error:
            return False
        return True

    def create_database(self, database: str) -> None:
        """Make an empty database."""
        self.execute(f'CREATE DATABASE "{database}"')

    def drop_database(self, database: str) -> None:
        """Remove a database and the sessions in it."""
        self.execute(f'DROP DATABASE IF EXISTS "{database}" WITH (FORCE)')

    def execute(
        self, statement: str, *parameters: object, database: str = "postgres"
    ) -> list[tuple[Any, ...]]:
        """Run a statement outside a transaction and return its rows."""
        connection = self._connect(database)
        try:
            connection.autocommit = True
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters or None)
                return cursor.fetchall() if cursor.description else []
        finally:
            connection.close()

    def _connect(self, database: str) -> Any:
        return psycopg2.connect(
            host="127.0.0.1", port=self.port, user="magnum", dbname=database, connect_timeout=10
        )


def _other_user() -> str:
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"
