"""A private MariaDB."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pymysql

from tests.servers.daemon import Daemon, program


class MariaDB(Daemon):
    """MariaDB on loopback; what was committed survives kill and start.

    Its time zone is far from UTC, so that a query that takes the session's
    clock for UTC shows.
    """

    name = "mariadb"

    def __init__(self, directory: Path) -> None:
        """Find the programs. Raises: Missing."""
        super().__init__(directory)
        self._server = program("mariadbd", "mariadb-server")
        self._install = program("mariadb-install-db", "mariadb-server")
        self._socket = directory / "sock"

    @property
    def url(self) -> str:
        """The URL of the server, with no database."""
        return self.database_url("")

    def database_url(self, database: str) -> str:
        """Return the SQLAlchemy URL of a database."""
        return f"mysql+pymysql://magnum:magnum@127.0.0.1:{self.port}/{database}"

    def environment(self) -> Mapping[str, str]:
        """Return the environment; a server that starts removes temporary tables it finds."""
        return {**super().environment(), "TMPDIR": str(self.directory)}

    def prepare(self) -> None:
        """Make the system tables, and the user at the first start."""
        self.run(
            [
                self._install,
                "--no-defaults",
                f"--datadir={self.directory / 'data'}",
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                *self._as_root(),
            ]
        )
        first = self.directory / "first.sql"
        first.write_text(
            "CREATE USER IF NOT EXISTS magnum@'127.0.0.1' IDENTIFIED BY 'magnum';\n"
            "CREATE USER IF NOT EXISTS magnum@localhost IDENTIFIED BY 'magnum';\n"
            "GRANT ALL ON *.* TO magnum@'127.0.0.1';\n"
            "GRANT ALL ON *.* TO magnum@localhost;\n"
        )

    def command(self) -> Sequence[str]:
        """Return the server's command."""
        return [
            self._server,
            "--no-defaults",
            *self._as_root(),
            f"--datadir={self.directory / 'data'}",
            f"--socket={self._socket}",
            f"--pid-file={self.directory / 'pid'}",
            f"--init-file={self.directory / 'first.sql'}",
            "--bind-address=127.0.0.1",
            f"--port={self.port}",
            "--default-time-zone=+05:30",
            "--innodb-flush-log-at-trx-commit=2",  # safe against kill, not against a power cut
            "--skip-log-bin",
        ]

    def ready(self) -> bool:
        """Tell whether the user may log in."""
        try:
            self._connect().close()
        except pymysql.MySQLError:
            return False
        return True

    def create_database(self, database: str) -> None:
        """Make an empty database."""
        self.execute(f"CREATE DATABASE `{database}` CHARACTER SET utf8mb4")

    def drop_database(self, database: str) -> None:
        """Remove a database; sessions that hold locks in it are ended first."""
        for (session,) in self.execute(
            "SELECT id FROM information_schema.processlist WHERE db = %s", database
        ):
            self.execute(f"KILL {session}", missing_ok=True)
        self.execute(f"DROP DATABASE IF EXISTS `{database}`")

    def execute(
        self, statement: str, *parameters: object, missing_ok: bool = False
    ) -> Sequence[tuple[Any, ...]]:
        """Run a statement on the server and return its rows."""
        connection = self._connect()
        try:
            with connection.cursor() as cursor:
                cursor.execute(statement, parameters)
                rows: Sequence[tuple[Any, ...]] = cursor.fetchall()
                return rows
        except pymysql.err.OperationalError:
            if not missing_ok:
                raise
            return ()
        finally:
            connection.close()

    def _connect(self) -> Any:
        return pymysql.connect(
            host="127.0.0.1",
            port=self.port,
            user="magnum",
            password="magnum",
            autocommit=True,
            connect_timeout=10,
        )

    def _as_root(self) -> list[str]:
        return ["--user=root"] if os.geteuid() == 0 else []
