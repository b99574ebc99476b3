"""${message}."""

from alembic import op
import sqlalchemy as sa
${imports if imports else ""}

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}


def upgrade() -> None:
    """Apply; may have been interrupted, or run on another host, at any line before."""
    ${upgrades if upgrades else "pass"}
