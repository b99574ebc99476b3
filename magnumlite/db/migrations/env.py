"""Run the revisions on the connection that :mod:`magnumlite.db.schema` hands over."""

from alembic import context

from magnumlite.db import own_models, schema

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=own_models.OwnBase.metadata,
    version_table=schema.OWN_VERSION_TABLE,
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
