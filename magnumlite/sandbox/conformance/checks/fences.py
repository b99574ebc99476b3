"""Does a poll that an operation has overtaken write nothing?"""

from __future__ import annotations

from collections.abc import Iterator

from magnumlite.sandbox.conformance.record import Call, Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark
from magnumlite.sandbox.conformance.rows import Change

QUESTION = "once overtaken by an operation, a poll writes nothing"

_FENCED = ("cluster", "nodegroup")


def check(record: Record) -> list[Finding] | Verdict:
    """Look at polls whose saves were refused, and for writes by another way in all calls."""
    overtaken = list(record.of(Phase.OVERTAKEN))
    found = [*_written(overtaken), *_around(record), *_swallowed(overtaken)]
    refused = any(save.refused for call in overtaken for save in call.saves)
    saving = any(save for call in record.of(Phase.POLL) for save in call.saves)
    # Where no poll came just when there was something to save, nothing is known.
    return Verdict.UNTRIED if not found and not refused and (saving or not overtaken) else found


def _written(overtaken: list[Call]) -> Iterator[Finding]:
    written = [change for call in overtaken for change in call.own_changes]
    if written:
        yield failure(
            f"a poll that had been overtaken wrote {_fields(written)}",
            "Save in the thread that was called, through the objects: the fence is there.",
        )


def _around(record: Record) -> Iterator[Finding]:
    around: dict[str, list[Change]] = {}
    for call in record.of(Phase.OPERATION, Phase.POLL, Phase.REPEAT, Phase.REST):
        for change in call.own_changes:
            if change.table in _FENCED and change.field and not _noted(call, change):
                around.setdefault(call.method, []).append(change)
    for method, changes in around.items():
        yield failure(
            f"{method} wrote {_fields(changes)} in another thread, or not through an object",
            "Save in the thread that was called, through the objects: other writes are not "
            "stopped when a delete has taken over.",
        )


def _fields(changes: list[Change]) -> str:
    names = {
        f"{change.table}.{change.field}" if change.field else change.table: None
        for change in changes
    }
    return ", ".join(sorted(names))


def _noted(call: Call, change: Change) -> bool:
    return any(
        save.table == change.table and change.field in save.values and not save.refused
        for save in call.saves
    )


def _swallowed(overtaken: list[Call]) -> Iterator[Finding]:
    for call in overtaken:
        if call.error is None and any(save.refused for save in call.saves):
            yield remark(
                "update_cluster_status went on after a save was refused",
                "Let the exception of a save pass through: another operation has the cluster now.",
            )
