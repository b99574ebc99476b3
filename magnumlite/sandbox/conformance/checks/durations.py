"""How long do calls take?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark

QUESTION = "calls start the work and return"


def check(record: Record) -> list[Finding] | Verdict:
    """Look for calls that did not return, and for long ones."""
    if not record.calls and not any(step.hung for step in record.steps):
        return Verdict.UNTRIED
    found = [
        failure(
            f"{step.hung} did not return during {step.name}",
            "Set a timeout on everything that is called over the network.",
        )
        for step in record.steps
        if step.hung
    ]
    longest: dict[str, float] = {}
    for call in record.calls:
        if call.phase is Phase.CROWD:
            continue  # there they wait for each other
        longest[call.method] = max(call.seconds, longest.get(call.method, 0.0))
    for method, seconds in longest.items():
        if seconds > record.slow:
            advice = (
                "Ask once and return; the next poll comes in ten seconds."
                if method == "update_cluster_status"
                else "Start the work, return, and let update_cluster_status find out how it ended."
            )
            found.append(remark(f"{method} took {seconds:.1f} s", advice))
    return found
