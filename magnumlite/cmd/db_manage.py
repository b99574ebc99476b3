"""magnumlite-db-manage: make, extend and check the database."""

from __future__ import annotations

import argparse
import sys

import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite import conf, exception
from magnumlite.db import schema


def main(arguments: list[str] | None = None) -> int:
    """Do what the command line says; return the exit status."""
    parser = argparse.ArgumentParser(prog="magnumlite-db-manage", description=__doc__)
    parser.add_argument(
        "--config-file", action="append", help="instead of /etc/magnum/magnum.conf; repeatable"
    )
    commands = parser.add_subparsers(dest="command", required=True)
    for name, does, text in (
        ("upgrade", _upgrade, "make what is missing: all in an empty database, else our own"),
        ("version", _version, "show the revisions of magnum's tables and of our own"),
        ("check", _check, "exit 0 if the database is what this version needs, else 1"),
    ):
        commands.add_parser(name, help=text, description=text).set_defaults(does=does)
    given = parser.parse_args(arguments)
    try:
        conf.parse([], default_config_files=given.config_file)
        status: int = given.does()
    except (exception.MagnumException, db_exc.DBError, sa.exc.SQLAlchemyError) as error:
        print(f"magnumlite-db-manage: {error}", file=sys.stderr)
        return 1
    return status


def _upgrade() -> int:
    schema.upgrade()
    return _version()


def _version() -> int:
    print(f"magnum: {schema.version() or 'none'} (needed: {schema.HEAD})")
    print(f"magnumlite: {schema.own_version() or 'none'} (needed: {schema.own_head()})")
    return 0


def _check() -> int:
    problems = schema.check()
    for problem in problems:
        print(problem)
    if not problems:
        print("The database is what this version needs.")
    return 1 if problems else 0
