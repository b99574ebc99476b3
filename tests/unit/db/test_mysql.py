"""Connections of PyMySQL."""

import pathlib
import ssl
import subprocess
import sys

import certifi
import pytest
from pymysql.connections import Connection

from magnumlite.db import mysql


def test_connections_without_tls_options_share_a_context_that_verifies_nothing() -> None:
    one, two = (mysql.LightConnection(defer_connect=True) for _ in range(2))
    assert one.ctx is two.ctx
    assert one.ctx.verify_mode == ssl.CERT_NONE
    assert not one._ssl_required


def test_tls_options_are_each_connections_own() -> None:
    authority = pathlib.Path(certifi.where())
    one, two = (
        mysql.LightConnection(defer_connect=True, ssl_ca=str(authority), ssl_verify_cert=True)
        for _ in range(2)
    )
    assert one.ctx is not two.ctx
    assert one.ctx.verify_mode == ssl.CERT_REQUIRED
    assert one._ssl_required


def test_only_a_connection_that_has_rested_is_asked_whether_it_is_alive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(Connection, "ping", lambda self, *args: asked.append("ping"))
    monkeypatch.setattr(Connection, "query", lambda self, *args: 1)
    made = mysql.LightConnection(defer_connect=True)
    made.ping(False)
    assert asked == ["ping"]
    assert made.query("SELECT 1") == 1
    made.ping(False)
    assert asked == ["ping"]
    monkeypatch.setattr(mysql, "FRESH", 0)
    made.ping(False)
    assert asked == ["ping", "ping"]


def test_other_databases_do_without_pymysql() -> None:
    code = "import sys; sys.modules['pymysql'] = None; import magnumlite.db.engine"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
