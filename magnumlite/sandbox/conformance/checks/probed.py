"""What a probe has found, as findings."""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Probe
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark


def findings_of(probe: Probe) -> list[Finding] | Verdict:
    """Return a probe's findings; UNTRIED or UNSUPPORTED when it had nothing to ask."""
    found = [failure(*problem) for problem in probe.problems]
    found += [remark(*problem) for problem in probe.remarks]
    if found or probe.present:
        return found
    return Verdict.UNSUPPORTED if probe.tried else Verdict.UNTRIED
