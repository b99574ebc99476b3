"""A certificate with its key, of the x509keypair store."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import x509keypair as queries
from magnumlite.objects import base


@base.MagnumObjectRegistry.register
class X509KeyPair(base.MagnumPersistentObject, base.MagnumObject):
    """A certificate with its key."""

    VERSION = "1.2"

    fields = {
        "id": ovo_fields.IntegerField(),
        "uuid": ovo_fields.UUIDField(nullable=True),
        "certificate": ovo_fields.StringField(nullable=True),
        "private_key": ovo_fields.StringField(nullable=True),
        "intermediates": ovo_fields.StringField(nullable=True),
        "private_key_passphrase": ovo_fields.StringField(nullable=True),
        "project_id": ovo_fields.StringField(nullable=True),
        "user_id": ovo_fields.StringField(nullable=True),
    }

    id: int
    uuid: str
    certificate: str | None
    private_key: str | None
    intermediates: str | None
    private_key_passphrase: str | None
    project_id: str | None
    user_id: str | None

    @staticmethod
    def _from_db_object(x509keypair: X509KeyPair, db_x509keypair: Any) -> X509KeyPair:
        """Fill the object from a row."""
        return base.hydrate(x509keypair, db_x509keypair)

    @classmethod
    @base.remotable
    def get(cls, context: RequestContext, x509keypair_id: int | str) -> X509KeyPair:
        """Return the key pair with that id or uuid.

        Raises:
            InvalidIdentity: it is neither an integer nor a UUID.
            X509KeyPairNotFound: there is none that the context may read.
        """
        return base.identified(
            x509keypair_id,
            lambda found: cls.get_by_id(context, found),
            lambda found: cls.get_by_uuid(context, found),
        )

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, x509keypair_id: int) -> X509KeyPair:
        """Return the key pair with that integer id.

        Raises:
            X509KeyPairNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, x509keypair_id))

    @classmethod
    @base.remotable
    def get_by_uuid(cls, context: RequestContext, uuid: str) -> X509KeyPair:
        """Return the key pair with that uuid.

        Raises:
            X509KeyPairNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_uuid(context, uuid))

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
    ) -> builtins.list[X509KeyPair]:
        """Return a page of the key pairs that the context may read."""
        rows = queries.list_all(context, filters, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the key pair and read its row back.

        Raises:
            X509KeyPairAlreadyExists: the uuid is taken.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            X509KeyPairNotFound: there is none that the context may write.
        """
        queries.destroy(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            X509KeyPairNotFound: there is none that the context may write.
        """
        queries.update(context or self._context, self.uuid, base.changes_of(self))
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context: RequestContext | None = None) -> None:
        """Take over the set fields that differ in the row; they are then marked as changed."""
        current = X509KeyPair.get_by_uuid(context or self._context, uuid=self.uuid)
        base.take_over(self, current)
