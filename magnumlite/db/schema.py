"""Making the tables, and telling whether they are what this version needs.

Two sets of tables share the database (DESIGN section 4). Those of magnum belong to
magnum-db-manage: an existing set is never touched and must be at Alembic head :data:`HEAD`; an
empty database is given the whole set at that head. Those of our own have a version table of
their own, so that neither tool sees the other's.
"""

from __future__ import annotations

import contextlib
import importlib.resources
import random
import time
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from oslo_db import exception as db_exc
from oslo_log import log

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.db import engine, models, own_models, texts

LOG = log.getLogger(__name__)

#: The Alembic head of magnum 23.0.0, which the shared tables must be at.
HEAD = "b3e1cf4a2d5e"
OWN_VERSION_TABLE = "magnumlite_alembic_version"
UPGRADE = "magnumlite-db-manage upgrade"

_VERSION_TABLE = "alembic_version"
_STAMP = sa.Table(
    _VERSION_TABLE,
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
_MIGRATIONS = "magnumlite.db:migrations"
#: Tries to add our own tables while other hosts do the same.
_TRIES = 10
_FAILURES = (db_exc.DBError, sa.exc.DBAPIError, CommandError)


def version() -> str | None:
    """Return the Alembic revision of the shared tables, or None when there is none."""
    return _revision(_VERSION_TABLE)


def own_version() -> str | None:
    """Return the revision of our own tables, or None when there is none."""
    return _revision(OWN_VERSION_TABLE)


def own_head() -> str:
    """Return the revision of our own tables that this version needs."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None
    return head


def upgrade() -> None:
    """Make the whole schema in an empty database; add our own tables to one of magnum's.

    Raises:
        SchemaMismatch: the shared tables are at another head, or only some are there.
    """
    if not _tables():
        _make_shared_tables()
    require_current()
    _upgrade_own_tables()
    texts.learn_charsets(engine.engine())


def stamp() -> None:
    """Record that the shared tables are at :data:`HEAD`, for who has made them otherwise."""
    with _connection() as connection:
        _stamp(connection)


def require_current() -> None:
    """Return if the shared tables are those of :data:`HEAD`.

    Raises:
        SchemaMismatch: they are at another head, or missing, or only some are there.
    """
    problems = _shared_problems()
    if problems:
        raise exception.SchemaMismatch(problems[0])


def check() -> list[str]:
    """Return a sentence for everything that is wrong with either set; nothing if all is well."""
    return _shared_problems() + _own_problems()


def ensure_own_tables() -> None:
    """Add our own tables when they are missing or old, whoever else is doing so.

    Raises:
        SchemaMismatch: they are missing and ``[journal]create_tables`` or the database's
            permissions forbid to add them; or they are of a later version.
    """
    problems = _own_problems()
    if not problems:
        return
    if not CONF.journal.create_tables:
        raise exception.SchemaMismatch(
            f"{problems[0]} [journal]create_tables forbids to add them; run: {UPGRADE}"
        )
    _upgrade_own_tables()
    texts.learn_charsets(engine.engine())


def _upgrade_own_tables() -> None:
    for left in reversed(range(_TRIES)):
        problems = _own_problems()
        if not problems:
            return
        _refuse_later(own_version())
        try:
            with _connection() as connection:
                command.upgrade(_config(connection), "head")
        except _FAILURES as error:
            # Another host may have made a table between our look and our statement.
            if not left or _denied(error):
                raise exception.SchemaMismatch(
                    f"{problems[0]} They cannot be added ({_cause(error)});"
                    f" run, as a user who may: {UPGRADE}"
                ) from error
            LOG.info("Another host seems to add magnumlite's tables: looking again (%s)", error)
            time.sleep(random.uniform(0.1, 0.5))  # noqa: S311


def _cause(error: Exception) -> str:
    inner = getattr(error, "inner_exception", None) or error
    return str(getattr(inner, "orig", None) or inner)


def _denied(error: Exception) -> bool:
    text = str(error).lower()
    return any(word in text for word in ("denied", "readonly", "read-only"))


def _make_shared_tables() -> None:
    with _connection() as connection:
        if connection.dialect.name in ("mysql", "mariadb"):
            script = importlib.resources.files("magnumlite.db.migrations") / "magnum.mariadb.sql"
            for statement in script.read_text().split(";\n"):
                if statement.strip():
                    connection.exec_driver_sql(statement)
        else:
            models.Base.metadata.create_all(connection)
        # The stamp comes last: without it a set that was cut short is seen as such.
        _stamp(connection)


def _stamp(connection: sa.Connection) -> None:
    _STAMP.create(connection, checkfirst=True)
    connection.execute(_STAMP.delete())
    connection.execute(_STAMP.insert().values(version_num=HEAD))


def _shared_problems() -> list[str]:
    tables = _tables()
    found = version()
    needed = set(models.Base.metadata.tables)
    missing = needed - tables
    if not tables:
        return [f"The database is empty and magnum's tables at {HEAD} are needed; run: {UPGRADE}"]
    if found is None:
        names = ", ".join(sorted(needed & tables)) or "none of magnum's"
        return [
            f"The database has tables ({names}) but no Alembic revision, and {HEAD} is needed:"
            " making them was cut short, or something else made them. Restore it, or empty it"
            f" and run: {UPGRADE}"
        ]
    if found != HEAD:
        return [
            f"The database schema is at {found} and {HEAD} (magnum 23.0.0) is needed;"
            " run magnum-db-manage upgrade of that magnum"
        ]
    if missing:
        return [
            f"The database says it is at {HEAD}, but tables are missing: "
            f"{', '.join(sorted(missing))}"
        ]
    return []


def _own_problems() -> list[str]:
    found, needed = own_version(), own_head()
    if found is None:
        return [f"magnumlite's own tables are missing (revision {needed} is needed)."]
    if found == needed:
        return []
    return [f"magnumlite's own tables are at {found} and {needed} is needed."]


def _refuse_later(found: str | None) -> None:
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
        raise exception.SchemaMismatch(
            f"magnumlite's own tables are at {found} and {own_head()} is needed:"
            " a later version has changed them"
        )


def _tables() -> set[str]:
    own = {*own_models.OwnBase.metadata.tables, OWN_VERSION_TABLE}
    return set(sa.inspect(engine.engine()).get_table_names()) - own


def _revision(table: str) -> str | None:
    if not sa.inspect(engine.engine()).has_table(table):
        return None
    with engine.engine().connect() as connection:
        statement = sa.select(sa.column("version_num", sa.String)).select_from(sa.table(table))
        return ", ".join(sorted(row.version_num for row in connection.execute(statement))) or None


@contextlib.contextmanager
def _connection() -> Iterator[sa.Connection]:
    with engine.writer() as session:
        yield session.connection()


def _config(connection: sa.Connection | None = None) -> Config:
    config = Config()
    config.set_main_option("script_location", _MIGRATIONS)
    config.attributes["connection"] = connection
    return config
