"""The tables at a moment, and what differs between two moments."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from magnumlite.db import engine, models

#: Tables that drivers might write, and the column that tells which cluster a row belongs to.
_OWNERS: dict[str, str | None] = {
    "cluster": "uuid",
    "nodegroup": "cluster_id",
    "cluster_template": None,
    "x509keypair": None,
    "quotas": None,
    "federation": None,
}
_TIMES = {"created_at", "updated_at"}

Rows = dict[tuple[str, int], dict[str, Any]]


@dataclass(frozen=True)
class Change:
    """One field that differs, or a whole row that came or went (field "")."""

    table: str
    cluster_uuid: str  # "" for a table that is not of clusters
    row: str  # name of the row
    field: str
    before: Any
    after: Any

    def __str__(self) -> str:
        if not self.field:
            return f"{self.table} {self.row} {'inserted' if self.before is None else 'deleted'}"
        return f"{self.table}.{self.field}: {short(self.before)} -> {short(self.after)}"


def take() -> Rows:
    """Return every row, read in one transaction."""
    found: Rows = {}
    with engine.reader() as session:
        for name in _OWNERS:
            table = models.Base.metadata.tables[name]
            for row in session.execute(sa.select(table)).mappings():
                found[name, row["id"]] = dict(row)
    return found


def differences(before: Rows, after: Rows) -> list[Change]:
    """Return what differs, in the order of the tables; time stamps do not count."""
    changes: list[Change] = []
    for key in sorted(before.keys() | after.keys()):
        old, new = before.get(key), after.get(key)
        row = new if new is not None else old
        assert row is not None
        if old is None or new is None:
            changes.append(_change(key[0], row, "", old and "row", new and "row"))
            continue
        changes.extend(
            _change(key[0], row, field, old[field], new[field])
            for field in new
            if field not in _TIMES and old[field] != new[field]
        )
    return changes


def count() -> dict[str, int]:
    """Return how many rows of clusters, nodegroups and certificates there are."""
    with engine.reader() as session:
        return {
            name: int(
                session.execute(
                    sa.select(sa.func.count()).select_from(models.Base.metadata.tables[name])
                ).scalar_one()
            )
            for name in ("cluster", "nodegroup", "x509keypair")
        }


def plain(value: Any) -> Any:
    """Return a copy that does not hold the object it is a field of."""
    if isinstance(value, dict):
        return dict(value)
    return list(value) if isinstance(value, list) else value


def short(value: Any) -> str:
    """Return a value as text that fits a line."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _change(table: str, row: dict[str, Any], field: str, before: Any, after: Any) -> Change:
    owner = _OWNERS[table]
    return Change(
        table,
        str(row[owner]) if owner else "",
        str(row.get("name") or row.get("uuid") or row["id"]),
        field,
        before,
        after,
    )
