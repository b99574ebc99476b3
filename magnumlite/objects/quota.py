"""A project's limit for one resource."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import quota as queries
from magnumlite.objects import base


@base.MagnumObjectRegistry.register
class Quota(base.MagnumPersistentObject, base.MagnumObject, base.MagnumObjectDictCompat):
    """A project's limit for one resource."""

    VERSION = "1.0"

    fields = {
        "id": ovo_fields.IntegerField(),
        "project_id": ovo_fields.StringField(),
        "resource": ovo_fields.StringField(),
        "hard_limit": ovo_fields.IntegerField(),
    }

    id: int
    project_id: str
    resource: str
    hard_limit: int

    @staticmethod
    def _from_db_object(quota: Quota, db_quota: Any) -> Quota:
        """Fill the object from a row."""
        return base.hydrate(quota, db_quota)

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, quota_id: int) -> Quota:
        """Return the quota with that integer id.

        Raises:
            QuotaNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, quota_id))

    @classmethod
    @base.remotable
    def get_quota_by_project_id_resource(
        cls, context: RequestContext, project_id: str, resource: str
    ) -> Quota:
        """Return the project's limit for the resource.

        Raises:
            QuotaNotFound: there is none that the context may read.
        """
        row = queries.get_by_project_and_resource(context, project_id, resource)
        return cls._from_db_object(cls(context), row)

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
    ) -> builtins.list[Quota]:
        """Return a page of the quotas that the context may read."""
        rows = queries.list_all(context, filters, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @classmethod
    @base.remotable
    def quota_get_all_by_project_id(
        cls, context: RequestContext, project_id: str
    ) -> builtins.list[Quota]:
        """Return the project's quotas, as far as the context may read them."""
        rows = queries.list_all(context, {"project_id": project_id})
        return base.hydrate_all(cls, context, rows)

    @classmethod
    @base.remotable
    def update_quota(cls, context: RequestContext, project_id: str, quota: dict[str, Any]) -> Quota:
        """UPDATE the project's limit for `quota["resource"]`, and return it as it is then.

        Raises:
            QuotaNotFound: there is none that the context may write.
        """
        return cls._from_db_object(cls(context), queries.update(context, project_id, quota))

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the quota and read its row back.

        Raises:
            QuotaAlreadyExists: the project has one for the resource.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def delete(self, context: RequestContext | None = None) -> None:
        """DELETE this quota, and no other (B65).

        Raises:
            QuotaNotFound: there is none that the context may write.
        """
        queries.destroy(context or self._context, self.project_id, self.resource)
        self.obj_reset_changes()
