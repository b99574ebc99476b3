"""Alembic environment of magnumlite's own tables; magnum's tables have one in magnum."""
