"""Does it leave alone what the user has said?"""

from __future__ import annotations

from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure
from magnumlite.sandbox.conformance.witness import THEIRS

QUESTION = "labels, names and owners stay as the user has them"

_TABLES = {"cluster": "Cluster", "nodegroup": "NodeGroup", "cluster_template": "ClusterTemplate"}


def check(record: Record) -> list[Finding] | Verdict:
    """Look at the objects that it was given, and at their rows."""
    if not record.calls:
        return Verdict.UNTRIED
    changed: dict[tuple[str, str, str], None] = {}
    for call in record.calls:
        for kind, name, _, _ in call.trespasses:
            changed[call.method, kind, name] = None
        for change in call.own_changes:
            kind = _TABLES.get(change.table, "")
            if change.field and change.field in THEIRS.get(kind, ()):
                changed[call.method, kind, change.field] = None
    return [
        failure(
            f"{method} changed the {name} of the {kind} it was given",
            "Work on a copy: dict(cluster.labels).",
        )
        for method, kind, name in changed
    ]
