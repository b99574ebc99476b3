"""Does it forget a cluster when the call has returned?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, remark

QUESTION = "objects it was given do not outlive their call"


def check(record: Record) -> list[Finding] | Verdict:
    """Look at what was still alive when all calls had returned."""
    if record.residue is None:
        return Verdict.UNTRIED
    return [
        remark(
            f"a {kind} given to {method} was still there after the call",
            "Keep its uuid and read it again: other processes change the row.",
        )
        for method, kinds in record.kept.items()
        for kind in sorted(kinds)
    ]
