"""What a conductor tells of itself when it starts."""

import logging

import pytest
from oslo_config import cfg

from magnumlite.drivers import registry
from magnumlite.process import announce


def test_start(conf: cfg.ConfigOpts, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    conf.set_override("connection", "mysql+pymysql://m:geheim@db/magnum", "database")
    conf.set_override("transport_url", "rabbit://m:geheim@mq/")
    conf.set_override("max_pool_size", 7, "database")
    conf.set_override("max_overflow", 3, "database")
    announce.start("alpha", 4)
    assert "Host alpha, topic magnum-conductor, 4 RPC workers" in caplog.text
    # (workers + 1) x (pool + overflow)
    assert "asked for 50 connections" in caplog.text
    assert "geheim" not in caplog.text


def test_secrets_are_masked_in_the_options(
    conf: cfg.ConfigOpts, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    conf.set_override("transport_url", "rabbit://m:geheim@mq/")
    announce.start("alpha", 1)
    assert "conductor.operation_threads" in caplog.text
    assert "geheim" not in caplog.text


def test_broken_drivers_are_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # B28
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(registry, "names", lambda: ["good"])
    monkeypatch.setattr(registry, "failures", lambda: {"bad": "ImportError: no module named x"})
    announce.drivers()
    assert "Drivers: good" in caplog.text
    assert "Driver bad does not load: ImportError: no module named x" in caplog.text
