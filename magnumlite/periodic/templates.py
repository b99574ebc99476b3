"""What of the templates tells which driver serves their clusters: one query for all of a sweep."""

from __future__ import annotations

from typing import Any, NamedTuple

import sqlalchemy as sa

from magnumlite.db import engine, models


class Template(NamedTuple):
    """Takes the place of a ClusterTemplate where a driver is looked for."""

    driver: str | None
    server_type: str
    cluster_distro: str
    coe: str


def read() -> dict[str, Template]:
    """Return all templates by uuid.

    Raises:
        DBError: the database is away.
    """
    row = models.ClusterTemplate
    with engine.reader() as session:
        rows: Any = session.execute(
            sa.select(row.uuid, row.driver, row.server_type, row.cluster_distro, row.coe)
        )
        return {uuid: Template(*kind) for uuid, *kind in rows}
