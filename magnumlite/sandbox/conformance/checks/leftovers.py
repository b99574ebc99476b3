"""Is nothing left of a cluster that is gone?"""

from __future__ import annotations

from collections.abc import Iterable

from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure

QUESTION = "a deleted cluster leaves no rows, files, descriptors, threads or processes"


def check(record: Record) -> list[Finding] | Verdict:
    """Compare the process before and after a cluster's life, and count rows at the end."""
    if record.residue is None:
        return Verdict.UNTRIED
    before, after = record.residue
    left = after.beyond(before)
    sockets = [what for what in left.descriptors.values() if what.startswith("socket:")]
    others = [what for what in left.descriptors.values() if not what.startswith("socket:")]
    found: list[Finding] = []
    for kind, things, advice in (
        ("file", left.files, "Remove it when the cluster is gone, or keep it in memory."),
        ("socket", sockets, "Close the connection, or keep one for all clusters of a thread."),
        ("descriptor", others, "Close it; do not depend on the garbage collector."),
        ("thread", left.threads.values(), "End it with its cluster, or use one for all."),
        ("process", left.children.values(), "Wait for its end."),
    ):
        if things:
            found.append(failure(f"a cluster's life left {_named(kind, things)}", advice))
    for table, count in record.left_rows.items():
        found.append(
            failure(
                f"{count} rows are left in {table}",
                "Remove the rows that the driver itself has made.",
            )
        )
    return found


def _named(kind: str, things: Iterable[str]) -> str:
    names = sorted(things)
    plural = {"process": "processes"}.get(kind, f"{kind}s")
    shown = ", ".join(names[:3]) + (", ..." if len(names) > 3 else "")
    return f"{len(names)} {kind if len(names) == 1 else plural}: {shown}"
