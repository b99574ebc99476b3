"""A cluster template."""

from __future__ import annotations

import builtins
from typing import Any

from oslo_utils import strutils, uuidutils
from oslo_versionedobjects import fields as ovo_fields

from magnumlite.context import RequestContext
from magnumlite.db.queries import cluster_template as queries
from magnumlite.objects import base, fields


@base.MagnumObjectRegistry.register
class ClusterTemplate(base.MagnumPersistentObject, base.MagnumObject, base.MagnumObjectDictCompat):
    """A cluster template."""

    VERSION = "1.21"

    fields = {
        "id": ovo_fields.IntegerField(),
        "uuid": ovo_fields.StringField(nullable=True),
        "project_id": ovo_fields.StringField(nullable=True),
        "user_id": ovo_fields.StringField(nullable=True),
        "name": ovo_fields.StringField(nullable=True),
        "image_id": ovo_fields.StringField(nullable=True),
        "flavor_id": ovo_fields.StringField(nullable=True),
        "master_flavor_id": ovo_fields.StringField(nullable=True),
        "keypair_id": ovo_fields.StringField(nullable=True),
        "dns_nameserver": ovo_fields.StringField(nullable=True),
        "external_network_id": ovo_fields.StringField(nullable=True),
        "fixed_network": ovo_fields.StringField(nullable=True),
        "fixed_subnet": ovo_fields.StringField(nullable=True),
        "network_driver": ovo_fields.StringField(nullable=True),
        "volume_driver": ovo_fields.StringField(nullable=True),
        "apiserver_port": ovo_fields.IntegerField(nullable=True),
        "docker_volume_size": ovo_fields.IntegerField(nullable=True),
        "docker_storage_driver": ovo_fields.StringField(nullable=True),
        "cluster_distro": ovo_fields.StringField(nullable=True),
        "coe": fields.ClusterTypeField(nullable=True),
        "http_proxy": ovo_fields.StringField(nullable=True),
        "https_proxy": ovo_fields.StringField(nullable=True),
        "no_proxy": ovo_fields.StringField(nullable=True),
        "registry_enabled": ovo_fields.BooleanField(default=False),
        "labels": ovo_fields.DictOfStringsField(nullable=True),
        "tls_disabled": ovo_fields.BooleanField(default=False),
        "public": ovo_fields.BooleanField(default=False),
        "server_type": ovo_fields.StringField(nullable=True),
        "insecure_registry": ovo_fields.StringField(nullable=True),
        "master_lb_enabled": ovo_fields.BooleanField(default=False),
        "floating_ip_enabled": ovo_fields.BooleanField(default=True),
        "hidden": ovo_fields.BooleanField(default=False),
        "tags": ovo_fields.StringField(nullable=True),
        "driver": ovo_fields.StringField(nullable=True),
    }

    id: int
    uuid: str
    project_id: str
    user_id: str
    name: str | None
    image_id: str | None
    flavor_id: str | None
    master_flavor_id: str | None
    keypair_id: str | None
    dns_nameserver: str | None
    external_network_id: str | None
    fixed_network: str | None
    fixed_subnet: str | None
    network_driver: str | None
    volume_driver: str | None
    apiserver_port: int | None
    docker_volume_size: int | None
    docker_storage_driver: str | None
    cluster_distro: str | None
    coe: str | None
    http_proxy: str | None
    https_proxy: str | None
    no_proxy: str | None
    registry_enabled: bool
    labels: dict[str, str] | None
    tls_disabled: bool
    public: bool
    server_type: str | None
    insecure_registry: str | None
    master_lb_enabled: bool
    floating_ip_enabled: bool
    hidden: bool
    tags: str | None
    driver: str | None

    @staticmethod
    def _from_db_object(
        cluster_template: ClusterTemplate, db_cluster_template: Any
    ) -> ClusterTemplate:
        """Fill the object from a row."""
        return base.hydrate(cluster_template, db_cluster_template)

    @classmethod
    @base.remotable
    def get(  # type: ignore[override]
        cls, context: RequestContext, cluster_template_id: int | str
    ) -> ClusterTemplate:
        """Return the template with that id, uuid or name.

        Raises:
            ClusterTemplateNotFound: there is none that the context may read.
            Conflict: there are several of that name.
        """
        if strutils.is_int_like(cluster_template_id):
            return cls.get_by_id(context, int(cluster_template_id))
        if uuidutils.is_uuid_like(cluster_template_id):
            return cls.get_by_uuid(context, str(cluster_template_id))
        return cls.get_by_name(context, str(cluster_template_id))

    @classmethod
    @base.remotable
    def get_by_id(cls, context: RequestContext, cluster_template_id: int) -> ClusterTemplate:
        """Return the template with that integer id.

        Raises:
            ClusterTemplateNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_id(context, cluster_template_id))

    @classmethod
    @base.remotable
    def get_by_uuid(cls, context: RequestContext, uuid: str) -> ClusterTemplate:
        """Return the template with that uuid.

        Raises:
            ClusterTemplateNotFound: there is none that the context may read.
        """
        return cls._from_db_object(cls(context), queries.get_by_uuid(context, uuid))

    @classmethod
    @base.remotable
    def get_by_name(cls, context: RequestContext, name: str) -> ClusterTemplate:
        """Return the only template with that name.

        Raises:
            ClusterTemplateNotFound: there is none that the context may read.
            Conflict: there are several.
        """
        return cls._from_db_object(cls(context), queries.get_by_name(context, name))

    @classmethod
    @base.remotable
    def list(
        cls,
        context: RequestContext,
        limit: int | None = None,
        marker: Any = None,
        sort_key: str | None = None,
        sort_dir: str | None = None,
    ) -> builtins.list[ClusterTemplate]:
        """Return a page of the templates that the context may read, public ones too."""
        rows = queries.list_all(context, limit, marker, sort_key, sort_dir)
        return base.hydrate_all(cls, context, rows)

    @base.remotable
    def create(self, context: RequestContext | None = None) -> None:
        """INSERT the template and read its row back.

        Raises:
            ClusterTemplateAlreadyExists: the uuid is taken.
        """
        context = context or self._context
        self._from_db_object(self, queries.create(context, base.changes_of(self)))

    @base.remotable
    def destroy(self, context: RequestContext | None = None) -> None:
        """DELETE the row.

        Raises:
            ClusterTemplateNotFound: there is none that the context may write.
            ClusterTemplateReferenced: a cluster uses it.
        """
        queries.destroy(context or self._context, self.uuid)
        self.obj_reset_changes()

    @base.remotable
    def save(self, context: RequestContext | None = None) -> None:
        """UPDATE the changed columns; the row is not read back.

        Raises:
            ClusterTemplateNotFound: there is none that the context may write.
            ClusterTemplateReferenced: a cluster uses it and more changes than how it is shown.
        """
        queries.update(context or self._context, self.uuid, base.changes_of(self))
        self.obj_reset_changes()

    @base.remotable
    def refresh(self, context: RequestContext | None = None) -> None:
        """Take over the set fields that differ in the row; they are then marked as changed."""
        current = ClusterTemplate.get_by_uuid(context or self._context, uuid=self.uuid)
        base.take_over(self, current)
