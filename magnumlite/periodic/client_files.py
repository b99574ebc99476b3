"""Client files that this host need not keep: another one has rotated or deleted their cluster."""

from __future__ import annotations

import logging
import time
from typing import Any

import sqlalchemy as sa

from magnumlite.certs import client_files
from magnumlite.context import RequestContext
from magnumlite.db import engine, models

LOG = logging.getLogger(__name__)

#: Seconds that files are left alone: who has just made them may know more than the row shows.
FRESH = 60.0


def due(context: RequestContext) -> None:
    """Remove the files of clusters that are gone, and those of certificates that were replaced.

    Whoever deletes a cluster or rotates its certificates removes the files of its own host; a
    host that has polled the cluster before has some, too (known defect B14).

    Raises:
        DBError: the database is away.
    """
    old = [uuid for uuid, made in client_files.kept().items() if made < time.time() - FRESH]
    if not old:
        return
    row = models.Cluster
    with engine.reader() as session:
        rows: Any = session.execute(sa.select(row.uuid, row.ca_cert_ref, row.magnum_cert_ref))
        references = {uuid: (ca, client) for uuid, ca, client in rows}
    for uuid in old:
        if uuid not in references or not client_files.made_from(uuid, *references[uuid]):
            LOG.info("Cluster %s: its client files on this host are out of date, removed", uuid)
            client_files.delete(uuid)
