"""The journal of operations and the hosts of the fleet.

Every step looks first: MariaDB commits each statement of its own, so an earlier run may have
stopped anywhere, and another host may be doing the same.
"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import mysql

revision = "magnumlite_001"
down_revision = None

_moment = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")
_tables = sa.MetaData()

sa.Table(
    "magnumlite_operation",
    _tables,
    sa.Column("id", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("uuid", sa.String(36), nullable=False),
    sa.Column("cluster_uuid", sa.String(36), nullable=False),
    sa.Column("nodegroup_uuid", sa.String(36)),
    sa.Column("action", sa.String(32), nullable=False),
    sa.Column("project_id", sa.String(255)),
    sa.Column("user_id", sa.String(255)),
    sa.Column("request_id", sa.String(64)),
    sa.Column("host", sa.String(255)),
    sa.Column("process", sa.String(255)),
    sa.Column("running_key", sa.String(36)),
    sa.Column("accepted_at", _moment, nullable=False),
    sa.Column("started_at", _moment),
    sa.Column("heartbeat_at", _moment, nullable=False),
    sa.Column("entered_at", _moment),
    sa.Column("released_at", _moment),
    sa.Column("deadline_at", _moment),
    sa.Column("finished_at", _moment),
    sa.Column("notified_at", _moment),
    sa.Column("outcome", sa.String(16)),
    sa.Column("reason", sa.Text),
    sa.UniqueConstraint("uuid", name="uniq_magnumlite_operation0uuid"),
    sa.UniqueConstraint("running_key", name="uniq_magnumlite_operation0running_key"),
    sa.Index("ix_magnumlite_operation_cluster", "cluster_uuid", "finished_at"),
    sa.Index("ix_magnumlite_operation_finished", "finished_at"),
    sa.Index("ix_magnumlite_operation_process", "process", "finished_at"),
)

sa.Table(
    "magnumlite_host",
    _tables,
    sa.Column("host", sa.String(255), primary_key=True),
    sa.Column("sweeps", sa.Boolean, nullable=False),
    sa.Column("draining", sa.Boolean, nullable=False),
    sa.Column("seen_at", _moment, nullable=False),
)


def upgrade() -> None:
    """Create the tables and indexes that are not there."""
    connection = op.get_bind()
    for table in _tables.sorted_tables:
        table.create(connection, checkfirst=True)
        for index in sorted(table.indexes, key=lambda index: str(index.name)):
            index.create(connection, checkfirst=True)
