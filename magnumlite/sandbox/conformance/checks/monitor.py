"""Does the monitor give a verdict that can be shown?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.checks.probed import findings_of
from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, remark

QUESTION = "the monitor gives a verdict, a reason and its metrics"


def check(record: Record) -> list[Finding] | Verdict:
    """Return what the probe of the monitor has found, and what making it has saved."""
    found = findings_of(record.monitor)
    if isinstance(found, Verdict):
        return found
    return found + [
        remark(
            f"get_monitor changed {change}",
            "Leave rows alone: an operation may be running while health is polled.",
        )
        for call in record.of(Phase.CAPABILITY)
        if call.method == "get_monitor"
        for change in call.changes
    ]
