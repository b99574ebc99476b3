"""The shared tables' revision; stands for magnum.db.sqlalchemy.migration.

Test fixtures of drivers make the tables themselves and stamp them.
"""

from magnumlite import exception
from magnumlite.db import schema
from magnumlite.db.schema import version

__all__ = ["stamp", "version"]


def stamp(revision: str) -> None:
    """Record that the shared tables are at a revision: "head", or that head's name.

    Raises:
        SchemaMismatch: any other revision; magnumlite knows no other.
    """
    if revision not in ("head", schema.HEAD):
        raise exception.SchemaMismatch(found=revision, needed=schema.HEAD)
    schema.stamp()
