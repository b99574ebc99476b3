"""Counts what is sent to the database."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

import sqlalchemy as sa

from magnumlite.db import engine


class Statements:
    """The statements that all threads sent inside a block.

    `transactions`: how many this thread opened.
    """

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.transactions = 0

    def __len__(self) -> int:
        return len(self.texts)

    def __str__(self) -> str:
        told = "\n".join(" ".join(text.split())[:160] for text in self.texts)
        return f"{len(self)} statements in {self.transactions} transactions:\n{told}"


@contextlib.contextmanager
def counted(ignored: tuple[str, ...] = ()) -> Iterator[Statements]:
    """Count what is sent inside the block; `ignored`: parts of texts that do not count."""
    seen, made, here = Statements(), engine.engine(), threading.get_ident()

    def executing(
        connection: Any, cursor: Any, text: str, parameters: Any, context: Any, many: bool
    ) -> None:
        if text.startswith("BEGIN"):
            seen.transactions += threading.get_ident() == here
        elif not any(part in text for part in ignored):
            seen.texts.append(text)

    sa.event.listen(made, "before_cursor_execute", executing)
    try:
        yield seen
    finally:
        sa.event.remove(made, "before_cursor_execute", executing)
