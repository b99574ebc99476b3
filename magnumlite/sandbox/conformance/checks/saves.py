"""What does it save by itself, and does that agree with what the conductor saves?"""

from __future__ import annotations

from collections.abc import Iterator

from magnumlite.conductor import states
from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark
from magnumlite.sandbox.conformance.rows import short

QUESTION = "what it saves by itself agrees with the objects it was given and with the request"

_PHASES = (Phase.OPERATION, Phase.POLL, Phase.REPEAT, Phase.REST)


def check(record: Record) -> list[Finding] | Verdict:
    """Look for saves around the given objects, and for rows that do not show the request."""
    if not record.calls:
        return Verdict.UNTRIED
    return [*_stale(record), *_unfulfilled(record), *_references(record)]


def by_method(record: Record) -> dict[str, dict[str, list[str]]]:
    """Return what each method has saved by itself: table to fields, "(row)" for whole rows."""
    found: dict[str, dict[str, set[str]]] = {}
    for call in record.of(*_PHASES):
        for change in call.changes:
            tables = found.setdefault(call.method, {})
            tables.setdefault(change.table, set()).add(change.field or "(row)")
    return {
        method: {table: sorted(fields) for table, fields in sorted(tables.items())}
        for method, tables in sorted(found.items())
    }


def _stale(record: Record) -> Iterator[Finding]:
    for call in record.of(Phase.OPERATION, Phase.POLL):
        for kind, name, given, row in call.stale:
            what = (
                f"{call.method} saved {kind.lower()}.{name} = {short(row)} through an object of "
                f"its own; the one it was given still shows {short(given)}"
            )
            advice = "Set the field on the object that was handed in, and save that."
            final = name == "status" and not states.in_progress(row)
            if final and call.phase is Phase.OPERATION:
                yield failure(what, f"{advice} The conductor overwrites it with in progress.")
            else:
                yield remark(what, advice)


def _unfulfilled(record: Record) -> Iterator[Finding]:
    for step in record.steps:
        for what, asked, found in step.unfulfilled:
            yield failure(
                f"after {step.name}, {what} is {short(found)} and not {short(asked)} as asked for",
                "Save only the fields that the driver finds out; what was asked for is saved "
                "already.",
            )


def _references(record: Record) -> Iterator[Finding]:
    for call in record.of(*_PHASES):
        for change in call.own_changes:
            if change.field.endswith("_cert_ref"):
                yield remark(
                    f"{call.method} changed {change}",
                    "Leave references to certificates to the conductor, which removes the old "
                    "ones.",
                )
