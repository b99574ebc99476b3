"""Does the class have what is called, in the way it is called?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.checks.probed import findings_of
from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict

QUESTION = "members, signatures, kinds and numbers of masters are those of the interface"


def check(record: Record) -> list[Finding] | Verdict:
    """Return what the probe of the interface has found."""
    return findings_of(record.interface)
