"""Does the scale manager pick nodes only when some have to go?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.checks.probed import findings_of
from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict

QUESTION = "the scale manager picks nodes only of a cluster that loses some"


def check(record: Record) -> list[Finding] | Verdict:
    """Return what the probe of the scale manager has found."""
    return findings_of(record.scaling)
