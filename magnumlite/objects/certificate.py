"""A certificate request, or a signed certificate, on its way between API and conductor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oslo_versionedobjects import fields as ovo_fields

from magnumlite.objects import base

if TYPE_CHECKING:
    from magnumlite.objects.cluster import Cluster


@base.MagnumObjectRegistry.register
class Certificate(base.MagnumPersistentObject, base.MagnumObject):
    """A certificate; it has no row."""

    VERSION = "1.2"

    fields = {
        "project_id": ovo_fields.StringField(nullable=True),
        "user_id": ovo_fields.StringField(nullable=True),
        "cluster_uuid": ovo_fields.StringField(nullable=True),
        "csr": ovo_fields.StringField(nullable=True),
        "pem": ovo_fields.StringField(nullable=True),
        "ca_cert_type": ovo_fields.StringField(nullable=True),
    }

    project_id: str | None
    user_id: str | None
    cluster_uuid: str | None
    csr: str | None
    pem: str | None
    ca_cert_type: str | None

    @classmethod
    def from_object_cluster(cls, cluster: Cluster) -> Certificate:
        """Return a certificate of a Cluster object, without PEM and CSR."""
        return cls(
            project_id=cluster.project_id, user_id=cluster.user_id, cluster_uuid=cluster.uuid
        )

    @classmethod
    def from_db_cluster(cls, cluster: Mapping[str, Any]) -> Certificate:
        """Return a certificate of a cluster's row, without PEM and CSR."""
        return cls(
            project_id=cluster["project_id"],
            user_id=cluster["user_id"],
            cluster_uuid=cluster["uuid"],
        )
