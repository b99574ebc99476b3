"""Column types for texts that must always be storable, and for JSON kept in TEXT (B37).

A driver's error text may be of any length and hold any character. The final state of a cluster
is saved together with it, so the text gives way: what the column cannot hold is replaced, what
is too long is cut, and a marker tells how much is missing.
"""

from __future__ import annotations

import json
import re
import weakref
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.types import TypeDecorator

#: Bytes that a TEXT column of MariaDB and MySQL holds.
TEXT_BYTES = 65_535
#: Key that tells in a cut health map how many entries are missing.
CUT_KEY = "magnumlite.cut"

_NEVER = re.compile("[\x00\ud800-\udfff]")
_OUTSIDE_BMP = re.compile("[\U00010000-\U0010ffff]")
#: Python's names of the character sets of MySQL that hold less than the BMP.
_NARROW = {"latin1": "cp1252", "ascii": "ascii"}

_charsets: weakref.WeakKeyDictionary[Dialect, dict[str, str]] = weakref.WeakKeyDictionary()


def learn_charsets(engine: sa.Engine) -> None:
    """Note which character set each table's reasons have: most follow the database's.

    Tables that are not there yet will follow the database's default.
    """
    if engine.dialect.name not in ("mysql", "mariadb"):
        return
    with engine.connect() as connection:
        found = {"": str(connection.exec_driver_sql("SELECT @@character_set_database").scalar())}
        rows = connection.exec_driver_sql(
            "SELECT table_name, character_set_name FROM information_schema.columns"
            " WHERE table_schema = DATABASE() AND column_name IN ('status_reason', 'reason')"
        )
        found.update((table, charset) for table, charset in rows)
    _charsets[engine.dialect] = found


def clean(text: str, charset: str | None) -> str:
    """Replace what a column of that character set (None: any Unicode text) cannot hold."""
    text = _NEVER.sub("\ufffd", text)
    if charset is None:
        return text
    # oslo.db opens MySQL connections as three-byte utf8 unless the URL says otherwise.
    text = _OUTSIDE_BMP.sub("\ufffd", text)
    narrow = _NARROW.get(charset)
    return text.encode(narrow, "replace").decode(narrow) if narrow else text


def cut(text: str, limit: int = TEXT_BYTES) -> str:
    """Return ``text``, or as much of its head as ``limit`` bytes of UTF-8 hold with a marker."""
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    room = limit - len(f"... [{len(text)} characters cut]")
    head = encoded[:room].decode(errors="ignore")
    return f"{head}... [{len(text) - len(head)} characters cut]"


def cut_map(entries: dict[str, Any], limit: int = TEXT_BYTES) -> dict[str, Any]:
    """Return a health map whose JSON fits ``limit`` bytes.

    What is wrong is kept before what is well (``"True"``, ``"ok"``); the entry
    :data:`CUT_KEY` counts those that are missing.
    """
    if len(json.dumps(entries)) <= limit:
        return entries
    kept: dict[str, Any] = {}
    note = f"{len(entries)} of {len(entries)} entries cut"
    room = limit - len(json.dumps({CUT_KEY: note}))
    for key in sorted(entries, key=lambda key: str(entries[key]) in ("True", "ok")):
        value = entries[key]
        if isinstance(value, str) and len(value) > 1000:
            value = cut(value, 1000)
        room -= len(json.dumps({key: value}))
        if room < 0:
            break
        kept[key] = value
    kept[CUT_KEY] = f"{len(entries) - len(kept)} of {len(entries)} entries cut"
    return kept


class Reason(TypeDecorator[str]):
    """A TEXT that takes any string; see :func:`clean` and :func:`cut`."""

    impl = sa.Text
    cache_ok = True

    def __init__(self, table: str) -> None:
        super().__init__()
        self.table = table

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Make the text storable."""
        if value is None:
            return None
        charset = None
        if dialect.name in ("mysql", "mariadb"):
            known = _charsets.get(dialect, {})
            charset = known.get(self.table) or known.get("", "ascii")
        return cut(clean(value, charset))


class _Json(TypeDecorator[Any]):
    impl = sa.Text
    cache_ok = True
    holds: type[Any]

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Encode; None becomes the empty value, another type is refused (contract/schema.json)."""
        if value is None:
            value = self.holds()
        elif not isinstance(value, self.holds):
            raise TypeError(f"{type(self).__name__} holds a {self.holds.__name__}: {value!r}")
        return json.dumps(value)

    def process_result_value(self, value: str | None, dialect: Dialect) -> Any:
        """Decode; NULL stays None."""
        return None if value is None else json.loads(value)


class JSONEncodedDict(_Json):
    """A dict as JSON in TEXT."""

    cache_ok = True
    holds = dict


class JSONEncodedList(_Json):
    """A list as JSON in TEXT."""

    cache_ok = True
    holds = list


class HealthMap(JSONEncodedDict):
    """A health_status_reason: a map that is cut when it does not fit; see :func:`cut_map`."""

    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> str:
        """Cut, then encode."""
        if isinstance(value, dict):
            value = cut_map(value)
        return super().process_bind_param(value, dialect)
