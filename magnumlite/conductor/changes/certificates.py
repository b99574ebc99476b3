"""Certificates that an operation has made and that may be nobody's when it is cut short.

While it runs the operation's row in the journal names them, so that whoever ends it for a dead
process can remove those that the cluster does not refer to.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from magnumlite import exception, objects
from magnumlite.certs import authority
from magnumlite.journal import entries
from magnumlite.journal.entries import Entry

_NOTE = "certificates: "


def note(operation_id: int, references: Iterable[str]) -> None:
    """Name certificates in the journal: those that may be nobody's at the end."""
    entries.note(operation_id, _NOTE + " ".join(references))


def drop_noted(context: Any, entry: Entry) -> None:
    """Remove what an operation has noted and its cluster does not refer to."""
    if entry.reason and entry.reason.startswith(_NOTE):
        drop_unknown(entry.reason.removeprefix(_NOTE).split(), entry.cluster_uuid, context)


def drop_unknown(references: Iterable[str], cluster_uuid: str, context: Any) -> None:
    """Remove certificates that a cluster does not refer to: nobody else ever will."""
    made = set(references)
    if not made:
        return
    try:
        cluster = objects.Cluster.get_by_uuid(context, cluster_uuid)
    except exception.ClusterNotFound:
        cluster = objects.Cluster(context, uuid=cluster_uuid)
    else:
        made -= set(authority.References.of(cluster))
    authority.delete(made, cluster, context)
