"""Statements on the shared tables, one module per noun.

Every function takes the request context first, opens (or joins) a transaction of
:mod:`magnumlite.db.engine` and returns ORM rows that stay readable after it.
"""
