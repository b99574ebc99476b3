"""One database, made by either, used by both: magnum's tools and conductor, and ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interop.peers.deployment import ROOT, Deployment, Process, User
from tests.interop.peers.environment import PeerEnvironment
from tests.servers import daemon
from tests.servers.daemon import free_port
from tests.servers.mariadb import MariaDB


class Database:
    """A MariaDB database and the two commands that make its tables."""

    def __init__(self, server: MariaDB, name: str, peer: PeerEnvironment, path: Path) -> None:
        self._server, self._name, self._peer, self._path = server, name, peer, path
        path.write_text(f"[database]\nconnection = {server.database_url(name)}\n")
        server.create_database(name)

    def magnum_manage(self, *arguments: str) -> str:
        return self._peer.run("magnum-db-manage", "--config-file", str(self._path), *arguments)

    def our_manage(self, *arguments: str) -> str:
        command = [str(Path(sys.executable).with_name("magnumlite-db-manage"))]
        done = subprocess.run(
            [*command, "--config-file", str(self._path), *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def tables(self) -> dict[str, str]:
        """Return the definition of every table, by name."""
        found = {}
        for (table,) in self._server.execute(f"SHOW TABLES FROM `{self._name}`"):
            ((_, text),) = self._server.execute(f"SHOW CREATE TABLE `{self._name}`.`{table}`")
            found[table] = text
        return found

    def shared(self) -> dict[str, str]:
        """Return the definitions of the tables that are not ours alone."""
        return {k: v for k, v in self.tables().items() if not k.startswith("magnumlite_")}

    def head(self) -> str:
        ((version,),) = self._server.execute(
            f"SELECT version_num FROM `{self._name}`.alembic_version"
        )
        return str(version)


@pytest.fixture
def both(
    mariadb_server: MariaDB, peer: PeerEnvironment, tmp_path: Path
) -> Iterator[tuple[Database, Database]]:
    """A database that magnum made, and one that we made."""
    mariadb_server.start()
    names = [f"manage_{free_port()}_{who}" for who in ("theirs", "ours")]
    theirs, ours = (Database(mariadb_server, n, peer, tmp_path / f"{n}.conf") for n in names)
    theirs.magnum_manage("upgrade")
    ours.our_manage("upgrade")
    yield theirs, ours
    for name in names:
        mariadb_server.drop_database(name)


def test_tables_are_the_same_but_for_ours(both: tuple[Database, Database]) -> None:
    theirs, ours = both
    assert ours.shared() == theirs.shared() == theirs.tables()
    assert {name for name in ours.tables() if name.startswith("magnumlite_")} >= {
        "magnumlite_operation",
        "magnumlite_host",
    }
    assert ours.head() == theirs.head()


def test_each_command_finds_nothing_to_do_after_the_other(
    both: tuple[Database, Database],
) -> None:
    theirs, _ = both
    before = theirs.shared()
    theirs.our_manage("upgrade")
    assert theirs.shared() == before
    for database in both:
        made = database.tables()
        database.magnum_manage("upgrade")
        assert database.tables() == made
        assert database.head() in database.magnum_manage("version")
        database.our_manage("upgrade")
        assert database.tables() == made


# One cluster, two conductors


def replaced(old: Process, new: Process, site: Deployment) -> None:
    """Swap conductors; magnum's own does not end when it is asked to."""
    old.kill()
    assert daemon.wait(lambda: site.consumers() == 0, 60)
    new.start()


def test_clusters_of_one_conductor_are_the_others(site: Deployment, user: User) -> None:
    theirs, ours = site.magnum_conductor(), site.our_conductor()
    template = user.template("t")
    try:
        theirs.start()
        complete = site.begun(user, "complete", template)
        user.wait(complete, "CREATE_COMPLETE")
        young = site.begun(user, "young", template)
        user.wait(young, "CREATE_IN_PROGRESS", "CREATE_COMPLETE")

        replaced(theirs, ours, site)
        user.wait(young, "CREATE_COMPLETE")
        for uuid in (complete, young):
            user.resize(uuid, 3)
            user.wait(uuid, "UPDATE_COMPLETE")
        user.magnum.clusters.delete(complete)
        user.wait(complete, "gone")
        mine = user.create("mine", template)
        user.wait(mine, "CREATE_COMPLETE")

        replaced(ours, theirs, site)
        for uuid in (mine, young):
            user.resize(uuid, 1)
        for uuid in (mine, young):
            user.wait(uuid, "UPDATE_COMPLETE")
            user.magnum.clusters.delete(uuid)
        # Not by the API: while magnum's conductor removes row by row it answers 400.
        assert daemon.wait(lambda: not site.rows("SELECT id FROM cluster"), 90)

        replaced(theirs, ours, site)
        last = user.create("last", template)
        user.wait(last, "CREATE_COMPLETE")
        user.magnum.clusters.delete(last)
        user.wait(last, "gone")
        assert daemon.wait(lambda: not site.rows("SELECT id FROM nodegroup"), 60)
    finally:
        theirs.kill()
        ours.stop()
    for uuid in (complete, mine, young, last):
        assert site.driver_calls(uuid)[-1] == "delete"
    assert site.rows("SELECT uuid FROM cluster") == []
    assert site.rows("SELECT id FROM magnumlite_operation WHERE finished_at IS NULL") == []
