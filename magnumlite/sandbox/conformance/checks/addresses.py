"""Are addresses addresses?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark

QUESTION = "addresses are texts, and that of the API is a URL"


def check(record: Record) -> list[Finding] | Verdict:
    """Look for None among addresses (known defect B56), and at api_address."""
    if not record.calls:
        return Verdict.UNTRIED
    found: list[Finding] = []
    for call in record.calls:
        found += [
            failure(
                f"{call.method} put None into {name}",
                "Leave a node out until it has an address: magnum cannot save the list.",
            )
            for name in sorted(call.nones)
        ]
        found += [
            remark(
                f"{call.method} set api_address to {change.after!r}",
                "Give a URL with https:// in front: health is asked below it.",
            )
            for change in call.own_changes
            if change.field == "api_address" and change.after and "://" not in str(change.after)
        ]
    return found
