"""A federation of clusters."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import federation as queries
from magnumlite.objects import base, fields


@base.MagnumObjectRegistry.register
class Federation(base.MagnumPersistentObject, base.MagnumObject, base.MagnumObjectDictCompat):
    """A federation of clusters."""

    VERSION = "1.0"

    fields = {
        "id": ovo_fields.IntegerField(),
        "uuid": ovo_fields.UUIDField(nullable=True),
        "name": ovo_fields.StringField(nullable=True),
        "project_id": ovo_fields.StringField(nullable=True),
        "hostcluster_id": ovo_fields.StringField(nullable=True),
        "member_ids": ovo_fields.ListOfStringsField(nullable=True),
        "status": fields.FederationStatusField(nullable=True),
        "status_reason": ovo_fields.StringField(nullable=True),
        "properties": ovo_fields.DictOfStringsField(nullable=True),
    }

    id: int
    uuid: str
    name: str | None
    project_id: str | None
    hostcluster_id: str | None
    member_ids: builtins.list[str] | None
    status: str | None
    status_reason: str | None
    properties: dict[str, str] | None

    @staticmethod
    def _from_db_object(federation: Federation, db_federation: Any) -> Federation:
        """Fill the object from a row."""
        return base.hydrate(federation, db_federation)

    @classmethod
    @base.remotable
    def get(  # type: ignore[override]
        cls, context: RequestContext, federation_id: int | str
    ) -> Federation:
        """Return the federation with that id or uuid.

        Raises:
            FederationNotFound: there is none that the context may read.
            InvalidIdentity: it is neither an integer nor a UUID.
        """
        return base.identified(
            federation_id,
            lambda found: cls.get_by_id(context, found),
            lambda found: cls.get_by_uuid(context, found),
        )

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, federation_id: int) -> Federation:
        """Return the federation with that integer id.

        Raises:
            FederationNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, federation_id))

    @classmethod
    @base.remotable
    def get_by_uuid(cls, context: RequestContext, uuid: str) -> Federation:
        """Return the federation with that uuid.

        Raises:
            FederationNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_uuid(context, uuid))

    @classmethod
    @base.remotable
    def get_by_name(cls, context: RequestContext, name: str) -> Federation:
        """Return the only federation with that name.

        Raises:
            Conflict: there are several.
            FederationNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_name(context, name))

    @classmethod
    @base.remotable
    def get_count_all(cls, context: RequestContext, filters: dict[str, Any] | None = None) -> int:
        """Return how many federations the context may read."""
        return queries.count(context, filters)

    @classmethod
    @base.remotable
    def list(
        cls,
        context: RequestContext,
        limit: int | None = None,
        marker: Any = None,
        sort_key: str | None = None,
        sort_dir: str | None = None,
        filters: dict[str, Any] | None = None,
    ) -> builtins.list[Federation]:
        """Return a page of the federations that the context may read."""
        rows = queries.list_all(context, filters, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the federation and read its row back.

        Raises:
            FederationAlreadyExists: the uuid is taken.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            FederationNotFound: there is none that the context may write.
        """
        queries.destroy(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            FederationNotFound: there is none that the context may write.
        """
        queries.update(context or self._context, self.uuid, base.changes_of(self))
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context: RequestContext | None = None) -> None:
        """Take over the set fields that differ in the row; they are then marked as changed."""
        current = Federation.get_by_uuid(context or self._context, uuid=self.uuid)
        base.take_over(self, current)
