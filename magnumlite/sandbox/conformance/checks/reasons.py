"""Can reasons be saved, and do they tell something?"""

from __future__ import annotations

from collections.abc import Iterator

from magnumlite.conductor import states
from magnumlite.db.texts import TEXT_BYTES
from magnumlite.sandbox.conformance.record import Call, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark

QUESTION = "reasons fit into their column and tell something"

#: Characters that somebody reads in a list or on a page.
_READABLE = 2000


def check(record: Record) -> list[Finding] | Verdict:
    """Look at every status_reason that was set, and at the texts of errors (B37)."""
    if not record.calls:
        return Verdict.UNTRIED
    found: list[Finding] = []
    for call in record.calls:
        for whose, text in _texts(call):
            found += _judge(whose, text)
    return found + [
        remark(
            f"{step.name} ended in {step.last.status} without a reason",
            "Set status_reason: operators see nothing else.",
        )
        for step in record.steps
        if step.refusal is None
        and step.last is not None
        and states.failed(step.last.status)
        and not step.last.reason
    ]


def _texts(call: Call) -> Iterator[tuple[str, str]]:
    texts = [save.values.get("status_reason") for save in call.saves]
    texts.append(call.unsaved.get("status_reason"))
    for text in texts:
        if text:
            yield f"the status_reason that {call.method} set", str(text)
    if call.error is not None:
        yield f"the text of the error that {call.method} raised", call.error.text


def _judge(whose: str, text: str) -> Iterator[Finding]:
    size = len(text.encode(errors="replace"))
    if size > TEXT_BYTES:
        yield failure(
            f"{whose} has {size} bytes",
            f"Cut it: the column holds {TEXT_BYTES}, and magnum then loses the status with it.",
        )
    elif len(text) > _READABLE:
        yield remark(
            f"{whose} has {len(text)} characters", "Say the cause; the rest belongs into the log."
        )
    if any(ord(character) > 0xFFFF or character == "\0" for character in text):
        yield remark(
            f"{whose} has characters that MySQL's utf8 does not hold", "Replace what is not text."
        )
