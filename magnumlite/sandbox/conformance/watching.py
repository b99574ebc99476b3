"""The fence of a call that is watched: notes what is saved, and refuses it when told to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from magnumlite import exception
from magnumlite.db import fence
from magnumlite.sandbox.conformance import rows
from magnumlite.sandbox.conformance.record import Save


class WatchingFence(fence.Fence):
    """Stands before the fence of the job, whose answers it gives.

    Every save and deletion in the thread of the job comes by here, also of other clusters' rows.
    With `overtaken` the rows of the job's own cluster cannot be written any more.
    """

    def __init__(self, job: fence.Fence, *, overtaken: bool = False) -> None:
        super().__init__(job.cluster_uuid)
        self.saves: list[Save] = []
        self._job = job
        self._overtaken = overtaken
        self._asked: tuple[str, str, dict[str, Any]] | None = None

    def where(self, model: type[Any], cluster_uuid: str) -> list[sa.ColumnElement[bool]]:
        """Return the job's conditions, or one that nothing meets."""
        if self._asked is None:  # a deletion
            self._asked = model.__tablename__, cluster_uuid, {}
        if self._overtaken and cluster_uuid == self.cluster_uuid:
            return [sa.false()]
        return self._job.where(model, cluster_uuid)

    def outgoing(
        self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Note what is to be written, with what the job's fence withholds."""
        self._asked = (
            model.__tablename__,
            cluster_uuid,
            {name: rows.plain(value) for name, value in values.items()},
        )
        return self._job.outgoing(model, cluster_uuid, values)

    def wrote(self, model: type[Any], cluster_uuid: str, values: Mapping[str, Any]) -> None:
        """Note that it was written."""
        self._job.wrote(model, cluster_uuid, values)
        self.saves.append(Save(*(self._asked or (model.__tablename__, cluster_uuid, {}))))
        self._asked = None

    def lost(self, what: str = "cluster") -> exception.ClaimLost:
        """Note that it was refused."""
        if self._asked is not None:
            self.saves.append(Save(*self._asked, refused=True))
            self._asked = None
        return self._job.lost(what)

    def shown(self, cluster_uuid: str, status: str | None) -> str | None:
        """Return what the job's fence shows."""
        return self._job.shown(cluster_uuid, status)
