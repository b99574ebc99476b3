"""Revisions of magnumlite's own tables."""
