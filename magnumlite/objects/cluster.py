"""A cluster."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db import fence
from magnumlite.db.queries import cluster as queries
from magnumlite.db.queries import stats as stats_queries
from magnumlite.objects import base, fields
from magnumlite.objects.cluster_template import ClusterTemplate
from magnumlite.objects.nodegroup import NodeGroup


@base.MagnumObjectRegistry.register
class Cluster(base.MagnumPersistentObject, base.MagnumObject, base.MagnumObjectDictCompat):
    """A cluster; its template is loaded when it is first asked for."""

    VERSION = "1.24"

    fields = {
        "id": ovo_fields.IntegerField(),
        "uuid": ovo_fields.UUIDField(nullable=True),
        "name": ovo_fields.StringField(nullable=True),
        "project_id": ovo_fields.StringField(nullable=True),
        "user_id": ovo_fields.StringField(nullable=True),
        "cluster_template_id": ovo_fields.StringField(nullable=True),
        "keypair": ovo_fields.StringField(nullable=True),
        "docker_volume_size": ovo_fields.IntegerField(nullable=True),
        "labels": ovo_fields.DictOfStringsField(nullable=True),
        "master_flavor_id": ovo_fields.StringField(nullable=True),
        "flavor_id": ovo_fields.StringField(nullable=True),
        "stack_id": ovo_fields.StringField(nullable=True),
        "status": fields.ClusterStatusField(nullable=True),
        "status_reason": ovo_fields.StringField(nullable=True),
        "health_status": fields.ClusterHealthStatusField(nullable=True),
        "health_status_reason": ovo_fields.DictOfStringsField(nullable=True),
        "create_timeout": ovo_fields.IntegerField(nullable=True),
        "api_address": ovo_fields.StringField(nullable=True),
        "discovery_url": ovo_fields.StringField(nullable=True),
        "ca_cert_ref": ovo_fields.StringField(nullable=True),
        "magnum_cert_ref": ovo_fields.StringField(nullable=True),
        "etcd_ca_cert_ref": ovo_fields.StringField(nullable=True),
        "front_proxy_ca_cert_ref": ovo_fields.StringField(nullable=True),
        "cluster_template": ovo_fields.ObjectField("ClusterTemplate"),
        "coe_version": ovo_fields.StringField(nullable=True),
        "container_version": ovo_fields.StringField(nullable=True),
        "fixed_network": ovo_fields.StringField(nullable=True),
        "fixed_subnet": ovo_fields.StringField(nullable=True),
        "floating_ip_enabled": ovo_fields.BooleanField(default=True),
        "master_lb_enabled": ovo_fields.BooleanField(default=False),
    }

    #: A caller that sends no version manifest gets the template as it is.
    obj_relationships = {"cluster_template": [("1.0", ClusterTemplate.VERSION)]}

    id: int
    uuid: str
    name: str
    project_id: str
    user_id: str
    cluster_template_id: str
    keypair: str | None
    docker_volume_size: int | None
    labels: dict[str, str] | None
    master_flavor_id: str | None
    flavor_id: str | None
    stack_id: str | None
    status: str | None
    status_reason: str | None
    health_status: str | None
    health_status_reason: dict[str, str] | None
    create_timeout: int | None
    api_address: str | None
    discovery_url: str | None
    ca_cert_ref: str | None
    magnum_cert_ref: str | None
    etcd_ca_cert_ref: str | None
    front_proxy_ca_cert_ref: str | None
    cluster_template: ClusterTemplate
    coe_version: str | None
    container_version: str | None
    fixed_network: str | None
    fixed_subnet: str | None
    floating_ip_enabled: bool
    master_lb_enabled: bool

    @staticmethod
    def _from_db_object(cluster: Cluster, db_cluster: Any) -> Cluster:
        """Fill the object from a row; inside a job its status is what the fence shows."""
        base.hydrate(cluster, db_cluster)
        held = fence.current()
        if held is not None:
            shown = held.shown(cluster.uuid, cluster.status)
            if shown != cluster.status:
                cluster.status = shown
                cluster.obj_reset_changes(["status"])
        return cluster

    @classmethod
    @base.remotable
    def get(  # type: ignore[override]
        cls, context: RequestContext, cluster_id: int | str
    ) -> Cluster:
        """Return the cluster with that id or uuid.

        Raises:
            ClusterNotFound: there is none that the context may read.
            InvalidIdentity: it is neither an integer nor a UUID.
        """
        return base.identified(
            cluster_id,
            lambda found: cls.get_by_id(context, found),
            lambda found: cls.get_by_uuid(context, found),
        )

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, cluster_id: int) -> Cluster:
        """Return the cluster with that integer id.

        Raises:
            ClusterNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, cluster_id))

    @classmethod
    @base.remotable
    def get_by_uuid(cls, context: RequestContext, uuid: str) -> Cluster:
        """Return the cluster with that uuid.

        Raises:
            ClusterNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_uuid(context, uuid))

    @classmethod
    @base.remotable
    def get_by_name(cls, context: RequestContext, name: str) -> Cluster:
        """Return the only cluster with that name.

        Raises:
            ClusterNotFound: there is none that the context may read.
            Conflict: there are several.
        """
        return cls._from_db_object(cls(context), queries.get_by_name(context, name))

    @classmethod
    @base.remotable
    def get_count_all(cls, context: RequestContext, filters: dict[str, Any] | None = None) -> int:
        """Return how many clusters the context may read."""
        return queries.count(context, filters)

    @classmethod
    @base.remotable
    def get_stats(cls, context: RequestContext, project_id: str | None = None) -> tuple[int, int]:
        """Return the number of clusters and nodes of a project, or of all.

        Raises:
            NotAuthorized: a tenant names another project.
        """
        return stats_queries.get_cluster_stats(context, project_id)

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
    ) -> builtins.list[Cluster]:
        """Return a page of the clusters that the context may read.

        `marker` is the last cluster of the page before; filters are those of
        contract/objects.json `db_semantics`.
        """
        rows = queries.list_all(context, filters, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the cluster and read its row back.

        Raises:
            ClusterAlreadyExists: the uuid is taken.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            ClaimLost: the job in which this runs may not write any more.
            ClusterNotFound: there is none that the context may write.
        """
        queries.destroy(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            ClaimLost: the job in which this runs may not write any more.
            ClusterNotFound: there is none that the context may write.
        """
        queries.update(context or self._context, self.uuid, base.changes_of(self))
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context: RequestContext | None = None) -> None:
        """Take over the set fields that differ in the row; they are then marked as changed."""
        current = Cluster.get_by_uuid(context or self._context, uuid=self.uuid)
        base.take_over(self, current)
        if self.obj_attr_is_set("cluster_template") and (
            self.cluster_template.uuid != current.cluster_template_id
        ):
            del self.cluster_template

    def obj_get_changes(self) -> dict[str, Any]:
        """Return the changed fields; the template is no column."""
        changes: dict[str, Any] = super().obj_get_changes()
        changes.pop("cluster_template", None)
        return changes

    def obj_load_attr(self, attrname: str) -> None:
        """Load the template.

        Raises:
            ClusterTemplateNotFound: there is none that the context may read.
            ObjectError: any other field that is not set.
        """
        if attrname != "cluster_template":
            super().obj_load_attr(attrname)
        self.cluster_template = ClusterTemplate.get_by_uuid(self._context, self.cluster_template_id)
        self.obj_reset_changes(["cluster_template"])

    @property
    def nodegroups(self) -> builtins.list[NodeGroup]:
        """The nodegroups; each time read anew."""
        return NodeGroup.list(self._context, self.uuid)

    @property
    def default_ng_worker(self) -> NodeGroup:
        """The default nodegroup of workers; IndexError if there is none."""
        defaults = [n for n in _of_role(self.nodegroups, master=False) if n.is_default]
        return defaults[0]

    @property
    def default_ng_master(self) -> NodeGroup:
        """The default nodegroup of masters; IndexError if there is none."""
        defaults = [n for n in _of_role(self.nodegroups, master=True) if n.is_default]
        return defaults[0]

    @property
    def node_count(self) -> int:
        """The number of nodes that are not masters."""
        return _nodes(self.nodegroups, master=False)

    @property
    def master_count(self) -> int:
        """The number of masters."""
        return _nodes(self.nodegroups, master=True)

    @property
    def node_addresses(self) -> builtins.list[str]:
        """The addresses of the nodes that are not masters."""
        return _addresses(self.nodegroups, master=False)

    @property
    def master_addresses(self) -> builtins.list[str]:
        """The addresses of the masters."""
        return _addresses(self.nodegroups, master=True)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are set, and the sums over the nodegroups (one query)."""
        values = super().as_dict()
        nodegroups = self.nodegroups
        values["node_count"] = _nodes(nodegroups, master=False)
        values["master_count"] = _nodes(nodegroups, master=True)
        values["node_addresses"] = _addresses(nodegroups, master=False)
        values["master_addresses"] = _addresses(nodegroups, master=True)
        return values


def _of_role(nodegroups: list[NodeGroup], master: bool) -> list[NodeGroup]:
    return [nodegroup for nodegroup in nodegroups if (nodegroup.role == "master") is master]


def _nodes(nodegroups: list[NodeGroup], master: bool) -> int:
    return sum(nodegroup.node_count or 0 for nodegroup in _of_role(nodegroups, master))


def _addresses(nodegroups: list[NodeGroup], master: bool) -> list[str]:
    return [
        address
        for nodegroup in _of_role(nodegroups, master)
        for address in nodegroup.node_addresses or ()
    ]
