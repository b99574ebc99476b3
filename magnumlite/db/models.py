"""ORM of the seven tables shared with magnum, at Alembic head b3e1cf4a2d5e (contract/schema.json).

MariaDB's tables differ a little from these (DESIGN section 4); :mod:`magnumlite.db.schema`
makes them from recorded statements.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from oslo_db.sqlalchemy import models as oslo_models
from sqlalchemy.orm import DeclarativeBase

from magnumlite.db.texts import HealthMap, JSONEncodedDict, JSONEncodedList, Reason


class Base(oslo_models.TimestampMixin, oslo_models.ModelBase, DeclarativeBase):  # type: ignore[misc]
    """Base of the shared tables.

    Columns also read as items; created_at and updated_at are naive UTC.
    """

    def as_dict(self) -> dict[str, Any]:
        """Return the columns with their values."""
        return {column.name: getattr(self, column.name) for column in self.__table__.columns}


class Cluster(Base):
    """A cluster."""

    __tablename__ = "cluster"
    __table_args__ = (sa.UniqueConstraint("uuid"),)

    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
    name = sa.Column(sa.String(255))
    cluster_template_id = sa.Column(sa.String(255))
    keypair = sa.Column(sa.String(255))
    docker_volume_size = sa.Column(sa.Integer())
    labels = sa.Column(JSONEncodedDict)
    master_flavor_id = sa.Column(sa.String(255))
    flavor_id = sa.Column(sa.String(255))
    stack_id = sa.Column(sa.String(255))
    api_address = sa.Column(sa.String(255))
    status = sa.Column(sa.String(20))
    status_reason = sa.Column[str | None](Reason("cluster"))
    health_status = sa.Column(sa.String(20))
    health_status_reason = sa.Column(HealthMap)
    create_timeout = sa.Column(sa.Integer())
    discovery_url = sa.Column(sa.String(255))
    coe_version = sa.Column(sa.String(255))
    container_version = sa.Column(sa.String(255))
    ca_cert_ref = sa.Column(sa.String(512))
    magnum_cert_ref = sa.Column(sa.String(512))
    etcd_ca_cert_ref = sa.Column(sa.String(512))
    front_proxy_ca_cert_ref = sa.Column(sa.String(512))
    fixed_network = sa.Column(sa.String(255))
    fixed_subnet = sa.Column(sa.String(255))
    floating_ip_enabled = sa.Column(sa.Boolean, default=True)
    master_lb_enabled = sa.Column(sa.Boolean, default=False)


class ClusterTemplate(Base):
    """A cluster template."""

    __tablename__ = "cluster_template"
    __table_args__ = (sa.UniqueConstraint("uuid"),)

    id = sa.Column(sa.Integer, primary_key=True)
    uuid = sa.Column(sa.String(36))
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))
    name = sa.Column(sa.String(255))
    image_id = sa.Column(sa.String(255))
    flavor_id = sa.Column(sa.String(255))
    master_flavor_id = sa.Column(sa.String(255))
    keypair_id = sa.Column(sa.String(255))
    external_network_id = sa.Column(sa.String(255))
    fixed_network = sa.Column(sa.String(255))
    fixed_subnet = sa.Column(sa.String(255))
    network_driver = sa.Column(sa.String(255))
    volume_driver = sa.Column(sa.String(255))
    dns_nameserver = sa.Column(sa.String(255))
    apiserver_port = sa.Column(sa.Integer())
    docker_volume_size = sa.Column(sa.Integer())
    docker_storage_driver = sa.Column(sa.String(255))
    cluster_distro = sa.Column(sa.String(255))
    coe = sa.Column(sa.String(255))
    http_proxy = sa.Column(sa.String(255))
    https_proxy = sa.Column(sa.String(255))
    no_proxy = sa.Column(sa.String(255))
    registry_enabled = sa.Column(sa.Boolean, default=False)
    labels = sa.Column(JSONEncodedDict)
    tls_disabled = sa.Column(sa.Boolean, default=False)
    public = sa.Column(sa.Boolean, default=False)
    server_type = sa.Column(sa.String(255))
    insecure_registry = sa.Column(sa.String(255))
    master_lb_enabled = sa.Column(sa.Boolean, default=False)
    floating_ip_enabled = sa.Column(sa.Boolean, default=True)
    hidden = sa.Column(sa.Boolean, default=False)
    tags = sa.Column(sa.String(255))
    driver = sa.Column(sa.String(255))


class NodeGroup(Base):
    """A nodegroup of a cluster; cluster_id is the cluster's uuid."""

    __tablename__ = "nodegroup"
    __table_args__ = (
        sa.UniqueConstraint("uuid", name="uniq_nodegroup0uuid"),
        sa.UniqueConstraint("cluster_id", "name", name="uniq_nodegroup0cluster_id0name"),
    )

    id = sa.Column(sa.Integer, primary_key=True)
    uuid = sa.Column(sa.String(36))
    name = sa.Column(sa.String(255))
    cluster_id = sa.Column(sa.String(255))
    project_id = sa.Column(sa.String(255))
    docker_volume_size = sa.Column(sa.Integer())
    labels = sa.Column(JSONEncodedDict)
    flavor_id = sa.Column(sa.String(255))
    image_id = sa.Column(sa.String(255))
    node_addresses = sa.Column(JSONEncodedList)
    node_count = sa.Column(sa.Integer())
    role = sa.Column(sa.String(255))
    max_node_count = sa.Column(sa.Integer())
    min_node_count = sa.Column(sa.Integer())
    is_default = sa.Column(sa.Boolean, default=False)
    stack_id = sa.Column(sa.String(255))
    status = sa.Column(sa.String(20))
    status_reason = sa.Column[str | None](Reason("nodegroup"))
    version = sa.Column(sa.String(20))
    node_labels = sa.Column(JSONEncodedDict)
    node_taints = sa.Column(JSONEncodedList)


class X509KeyPair(Base):
    """A certificate with its key, of the x509keypair store."""

    __tablename__ = "x509keypair"
    __table_args__ = (sa.UniqueConstraint("uuid", name="uniq_x509keypair0uuid"),)

    id = sa.Column(sa.Integer, primary_key=True)
    uuid = sa.Column(sa.String(36))
    certificate = sa.Column(sa.Text())
    private_key = sa.Column(sa.Text())
    private_key_passphrase = sa.Column(sa.Text())
    intermediates = sa.Column(sa.Text())
    project_id = sa.Column(sa.String(255))
    user_id = sa.Column(sa.String(255))


class Quota(Base):
    """A project's limit for one resource."""

    __tablename__ = "quotas"
    __table_args__ = (
        sa.UniqueConstraint("project_id", "resource", name="uniq_quotas0project_id0resource"),
    )

    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    resource = sa.Column(sa.String(255))
    hard_limit = sa.Column(sa.Integer())


class Federation(Base):
    """A federation of clusters."""

    __tablename__ = "federation"
    __table_args__ = (sa.UniqueConstraint("uuid", name="uniq_federation0uuid"),)

    id = sa.Column(sa.Integer, primary_key=True)
    project_id = sa.Column(sa.String(255))
    uuid = sa.Column(sa.String(36))
    name = sa.Column(sa.String(255))
    hostcluster_id = sa.Column(sa.String(255))
    member_ids = sa.Column(JSONEncodedList)
    status = sa.Column(sa.String(20))
    status_reason = sa.Column[str | None](Reason("federation"))
    properties = sa.Column(JSONEncodedDict)


class MagnumService(Base):
    """A conductor's heartbeat, as magnum-api shows it."""

    __tablename__ = "magnum_service"
    __table_args__ = (
        sa.UniqueConstraint("host", "binary", name="uniq_magnum_service0host0binary"),
    )

    id = sa.Column(sa.Integer, primary_key=True)
    host = sa.Column(sa.String(255))
    binary = sa.Column(sa.String(255))
    disabled = sa.Column(sa.Boolean, default=False)
    disabled_reason = sa.Column(sa.String(255))
    last_seen_up = sa.Column(sa.DateTime)
    forced_down = sa.Column(sa.Boolean, default=False)
    report_count = sa.Column(sa.Integer, nullable=False, default=0)
