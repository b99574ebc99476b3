"""A conductor's heartbeat, as magnum-api shows it."""

from __future__ import annotations

import builtins
import datetime
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import magnum_service as queries
from magnumlite.objects import base


@base.MagnumObjectRegistry.register
class MagnumService(base.MagnumPersistentObject, base.MagnumObject):
    """One service of one host."""

    VERSION = "1.0"

    fields = {
        "id": ovo_fields.IntegerField(),
        "host": ovo_fields.StringField(nullable=True),
        "binary": ovo_fields.StringField(nullable=True),
        "disabled": ovo_fields.BooleanField(),
        "disabled_reason": ovo_fields.StringField(nullable=True),
        "last_seen_up": ovo_fields.DateTimeField(nullable=True),
        "forced_down": ovo_fields.BooleanField(),
        "report_count": ovo_fields.IntegerField(),
    }

    id: int
    host: str
    binary: str
    disabled: bool
    disabled_reason: str | None
    last_seen_up: datetime.datetime | None
    forced_down: bool
    report_count: int

    @staticmethod
    def _from_db_object(magnum_service: MagnumService, db_magnum_service: Any) -> MagnumService:
        """Fill the object from a row."""
        return base.hydrate(magnum_service, db_magnum_service)

    @classmethod
    @base.remotable
    def get_by_host_and_binary(
        cls, context: RequestContext, host: str, binary: str
    ) -> MagnumService | None:
        """Return the service, or None."""
        row = queries.get_by_host_and_binary(context, host, binary)
        return None if row is None else cls._from_db_object(cls(context), row)

    @classmethod
    @base.remotable
    def list(
        cls,
        context: RequestContext,
        limit: int | None = None,
        marker: Any = None,
        sort_key: str | None = None,
        sort_dir: str | None = None,
    ) -> builtins.list[MagnumService]:
        """Return a page of all services."""
        rows = queries.list_all(context, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the service and read its row back; an existing row is taken over."""
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            MagnumServiceNotFound: there is none.
        """
        queries.destroy(context or self._context, self.id)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            MagnumServiceNotFound: there is none.
        """
        queries.update(context or self._context, self.id, base.changes_of(self))
        self.obj_reset_changes()

    @base.remotable
    def report_state_up(self, context: RequestContext | None = None) -> None:
        """Count one more report; the row then also tells when.

        Raises:
            MagnumServiceNotFound: there is no row.
        """
        self.report_count += 1
        self.save()
