"""A nodegroup of a cluster."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_utils import strutils, uuidutils
from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db import engine
from magnumlite.db.queries import nodegroup as queries
from magnumlite.objects import base, fields


@base.MagnumObjectRegistry.register
class NodeGroup(base.MagnumPersistentObject, base.MagnumObject, base.MagnumObjectDictCompat):
    """A nodegroup; cluster_id is the cluster's uuid."""

    VERSION = "1.2"

    fields = {
        "id": ovo_fields.IntegerField(),
        "uuid": ovo_fields.UUIDField(),
        "name": ovo_fields.StringField(),
        "cluster_id": ovo_fields.StringField(),
        "project_id": ovo_fields.StringField(),
        "docker_volume_size": ovo_fields.IntegerField(nullable=True),
        "labels": ovo_fields.DictOfStringsField(nullable=True),
        "flavor_id": ovo_fields.StringField(nullable=True),
        "image_id": ovo_fields.StringField(nullable=True),
        "node_addresses": fields.AddressListField(nullable=True),
        "node_count": ovo_fields.IntegerField(default=1),
        "role": ovo_fields.StringField(),
        "max_node_count": ovo_fields.IntegerField(nullable=True),
        "min_node_count": ovo_fields.IntegerField(default=0),
        "is_default": ovo_fields.BooleanField(default=False),
        "stack_id": ovo_fields.StringField(nullable=True),
        "status": fields.ClusterStatusField(nullable=True),
        "status_reason": ovo_fields.StringField(nullable=True),
        "version": ovo_fields.StringField(nullable=True),
        "node_labels": ovo_fields.DictOfStringsField(nullable=True),
        "node_taints": fields.ListOfDictsField(nullable=True),
    }

    id: int
    uuid: str
    name: str
    cluster_id: str
    project_id: str
    docker_volume_size: int | None
    labels: dict[str, str] | None
    flavor_id: str | None
    image_id: str | None
    node_addresses: builtins.list[str] | None
    node_count: int
    role: str
    max_node_count: int | None
    min_node_count: int
    is_default: bool
    stack_id: str | None
    status: str | None
    status_reason: str | None
    version: str | None
    node_labels: dict[str, str] | None
    node_taints: builtins.list[dict[str, str]] | None

    @staticmethod
    def _from_db_object(nodegroup: NodeGroup, db_nodegroup: Any) -> NodeGroup:
        """Fill the object from a row."""
        return base.hydrate(nodegroup, db_nodegroup)

    @classmethod
    @base.remotable
    def get(  # type: ignore[override]
        cls, context: RequestContext, cluster_id: str, nodegroup_id: int | str
    ) -> NodeGroup:
        """Return the cluster's nodegroup with that id, uuid or name.

        Raises:
            NodeGroupNotFound: there is none that the context may read.
        """
        if strutils.is_int_like(nodegroup_id):
            return cls.get_by_id(context, cluster_id, int(nodegroup_id))
        if uuidutils.is_uuid_like(nodegroup_id):
            return cls.get_by_uuid(context, cluster_id, str(nodegroup_id))
        return cls.get_by_name(context, cluster_id, str(nodegroup_id))

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, cluster: str, id_: int) -> NodeGroup:
        """Return the cluster's nodegroup with that integer id.

        Raises:
            NodeGroupNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, cluster, id_))

    @classmethod
    @base.remotable
    def get_by_uuid(cls, context: RequestContext, cluster: str, uuid: str) -> NodeGroup:
        """Return the cluster's nodegroup with that uuid.

        Raises:
            NodeGroupNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_uuid(context, cluster, uuid))

    @classmethod
    @base.remotable
    def get_by_name(cls, context: RequestContext, cluster: str, name: str) -> NodeGroup:
        """Return the cluster's nodegroup with that name.

        Raises:
            Conflict: there are several.
            NodeGroupNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_name(context, cluster, name))

    @classmethod
    @base.remotable
    def get_count_all(cls, context: RequestContext, cluster_id: str) -> int:
        """Return how many nodegroups the cluster has."""
        return queries.count(context, cluster_id)

    @classmethod
    @base.remotable
    def list(
        cls,
        context: RequestContext,
        cluster_id: str,
        limit: int | None = None,
        marker: Any = None,
        sort_key: str | None = None,
        sort_dir: str | None = None,
        filters: dict[str, Any] | None = None,
    ) -> builtins.list[NodeGroup]:
        """Return a page of the cluster's nodegroups."""
        rows = queries.list_all(context, cluster_id, filters, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @classmethod
    @base.remotable
    def update_nodegroup(
        cls,
        context: RequestContext,
        cluster_id: str,
        nodegroup_id: int | str,
        values: dict[str, Any],
    ) -> NodeGroup:
        """UPDATE the nodegroup with that id, uuid or name, and return it as it is then.

        Raises:
            ClaimLost: the job in which this runs may not write any more.
            NodeGroupNotFound: there is none that the context may write.
        """

        @engine.retried
        def write() -> NodeGroup:
            with engine.writer():
                found = cls.get(context, cluster_id, nodegroup_id)
                queries.update(context, cluster_id, found.uuid, values)
                return cls.get_by_uuid(context, cluster_id, values.get("uuid", found.uuid))

        return write()

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the nodegroup and read its row back.

        Raises:
            NodeGroupAlreadyExists: the uuid, or the name within the cluster, is taken.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            ClaimLost: the job in which this runs may not write any more.
            NodeGroupNotFound: there is none that the context may write.
        """
        queries.destroy(context or self._context, self.cluster_id, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            ClaimLost: the job in which this runs may not write any more.
            NodeGroupNotFound: there is none that the context may write.
        """
        changes = base.changes_of(self)
        queries.update(context or self._context, self.cluster_id, self.uuid, changes)
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context: RequestContext | None = None) -> None:
        """Take over the set fields that differ in the row; they are then marked as changed."""
        current = NodeGroup.get_by_uuid(
            context or self._context, cluster=self.cluster_id, uuid=self.uuid
        )
        base.take_over(self, current)
