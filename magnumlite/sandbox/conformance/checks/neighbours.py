"""Does it write nothing but the rows of the cluster it was called for?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure

QUESTION = "it writes no rows but those of the cluster it was called for"


def check(record: Record) -> list[Finding] | Verdict:
    """Look for changes of other clusters and of other tables."""
    if not record.calls:
        return Verdict.UNTRIED
    found = []
    for call in record.calls:
        if call.phase is Phase.CROWD:
            continue
        for change in call.changes:
            # Certificates of its own it may keep; those that stay are leftovers.
            kept = change.table == "x509keypair" and not change.field
            if change.cluster_uuid != call.cluster_uuid and not kept:
                whose = "another cluster's " if change.cluster_uuid else ""
                field = f".{change.field}" if change.field else ""
                found.append(
                    failure(
                        f"{call.method} wrote {whose}{change.table}{field}",
                        "Touch only the cluster that was handed in and its nodegroups.",
                    )
                )
    return found
