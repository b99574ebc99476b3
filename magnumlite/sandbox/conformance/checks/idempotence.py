"""Does a poll change nothing when nothing has happened?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from magnumlite.conductor import states
from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure
from magnumlite.sandbox.conformance.rows import Change, short

QUESTION = "a status poll changes nothing when nothing has happened"

#: Times that a field differs between two polls in a row before it is no coincidence.
_COINCIDENCES = 1


def check(record: Record) -> list[Finding] | Verdict:
    """Look at polls at rest, and at polls that followed another at once."""
    at_rest = [call for call in record.of(Phase.REST) if call.is_poll]
    if not at_rest:
        return Verdict.UNTRIED
    return [*_at_rest(record), *_in_progress(record)]


def _at_rest(record: Record) -> Iterator[Finding]:
    told: set[str] = set()
    for call in record.of(Phase.REST):
        fields = [(f"{c.table}.{c.field}".rstrip("."), str(c)) for c in call.own_changes]
        fields += [
            (f"cluster.{name}", f"cluster.{name}: set to {short(value)}, not saved")
            for name, value in call.unsaved.items()
        ]
        for name, what in fields:
            if name not in told:
                told.add(name)
                yield failure(
                    f"a poll at rest, after {call.step}, changed {what}",
                    "Compare with what the cluster has, and return when nothing is in progress.",
                )


def _in_progress(record: Record) -> Iterator[Finding]:
    changed: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for call in record.of(Phase.REPEAT):
        if any(_forward(change) for change in call.own_changes):
            continue
        for change in call.own_changes:
            if _restless(change):
                name = f"{change.table}.{change.field}"
                changed[name] += 1
                examples[name] = str(change)
    for name, times in changed.items():
        if times > _COINCIDENCES:
            yield failure(
                f"polls in progress changed a value again and again, {times} times "
                f"{examples[name]}",
                "Save what the cloud says, not when it was asked.",
            )


def _restless(change: Change) -> bool:
    """Tell whether a change is from one value to another."""
    return bool(change.field) and not _empty(change.before) and not _empty(change.after)


def _forward(change: Change) -> bool:
    """Tell whether a change shows that the cloud has come further just now."""
    return not change.field or (change.field == "status" and states.in_progress(change.before))


def _empty(value: Any) -> bool:
    return value is None or value in ("", [], {})
