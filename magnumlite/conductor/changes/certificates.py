"""Certificates that an overtaken operation has made."""

from __future__ import annotations

from typing import Any

from magnumlite import exception, objects
from magnumlite.certs import authority


def drop_unknown(made: authority.References, cluster: Any, context: Any) -> None:
    """Remove what was made for a cluster whose row does not know it: nobody else ever will."""
    if not any(made):
        return
    try:
        known = authority.References.of(objects.Cluster.get_by_uuid(context, cluster.uuid))
    except exception.ClusterNotFound:
        known = authority.References()
    if known != made:
        authority.delete(made, cluster, context)
