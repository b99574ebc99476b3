"""Tables that only magnumlite knows: the journal of operations and the hosts of the fleet.

They live beside magnum's tables under an Alembic version table of their own, so that
magnum-db-manage and magnumlite-db-manage do not see each other (DESIGN section 4).  Times are
UTC by the database's clock, in microseconds.
"""

from __future__ import annotations

import datetime

import sqlalchemy as sa
from sqlalchemy.dialects import mysql
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column

from magnumlite.db.texts import Reason

#: A moment in UTC without a zone; MariaDB keeps whole seconds unless asked for more.
Moment = sa.DateTime().with_variant(mysql.DATETIME(fsp=6), "mysql", "mariadb")


class OwnBase(DeclarativeBase):
    """Base of magnumlite's own tables, apart from magnum's metadata."""

    type_annotation_map = {datetime.datetime: Moment}


class Operation(OwnBase):
    """One accepted request to change one cluster.

    A row moves one way: accepted, started (claims ``running_key``), entered (the driver was
    called), released (the driver returned), finished (the outcome is known), notified.
    ``process`` is empty while the request is back on the broker after a drain.
    """

    __tablename__ = "magnumlite_operation"
    __table_args__ = (
        sa.UniqueConstraint("uuid", name="uniq_magnumlite_operation0uuid"),
        sa.UniqueConstraint("running_key", name="uniq_magnumlite_operation0running_key"),
        sa.Index("ix_magnumlite_operation_cluster", "cluster_uuid", "finished_at"),
        sa.Index("ix_magnumlite_operation_finished", "finished_at"),
        sa.Index("ix_magnumlite_operation_process", "process", "finished_at"),
    )

    id: Mapped[int] = mapped_column(sa.Integer, primary_key=True, autoincrement=True)
    uuid: Mapped[str] = mapped_column(sa.String(36))
    cluster_uuid: Mapped[str] = mapped_column(sa.String(36))
    nodegroup_uuid: Mapped[str | None] = mapped_column(sa.String(36))
    action: Mapped[str] = mapped_column(sa.String(32))
    project_id: Mapped[str | None] = mapped_column(sa.String(255))
    user_id: Mapped[str | None] = mapped_column(sa.String(255))
    request_id: Mapped[str | None] = mapped_column(sa.String(64))
    host: Mapped[str | None] = mapped_column(sa.String(255))
    process: Mapped[str | None] = mapped_column(sa.String(255))
    running_key: Mapped[str | None] = mapped_column(sa.String(36))
    accepted_at: Mapped[datetime.datetime]
    started_at: Mapped[datetime.datetime | None]
    heartbeat_at: Mapped[datetime.datetime]
    entered_at: Mapped[datetime.datetime | None]
    released_at: Mapped[datetime.datetime | None]
    deadline_at: Mapped[datetime.datetime | None]
    finished_at: Mapped[datetime.datetime | None]
    notified_at: Mapped[datetime.datetime | None]
    outcome: Mapped[str | None] = mapped_column(sa.String(16))
    reason: Mapped[str | None] = mapped_column(Reason("magnumlite_operation"))


class Host(OwnBase):
    """One host of the fleet, alive as long as ``seen_at`` is young."""

    __tablename__ = "magnumlite_host"

    host: Mapped[str] = mapped_column(sa.String(255), primary_key=True)
    sweeps: Mapped[bool] = mapped_column(sa.Boolean, default=True)
    draining: Mapped[bool] = mapped_column(sa.Boolean, default=False)
    seen_at: Mapped[datetime.datetime]
