"""B61: a stuck periodic loop is told, and recycled when that is wanted."""

import pytest
from oslo_config import cfg

from magnumlite.process.watchdog import Watchdog


def test_told_once_with_stacks(conf: cfg.ConfigOpts, caplog: pytest.LogCaptureFixture) -> None:
    silence = 10.0
    dog = Watchdog(lambda: silence)
    assert not dog.bites()
    assert caplog.messages == []
    silence = 200.0
    assert not dog.bites()
    assert not dog.bites()
    (message,) = caplog.messages
    assert "no sign of life for 200 s" in message
    assert "MainThread" in message
    assert "test_told_once_with_stacks" in message


def test_told_again_after_it_went_on(
    conf: cfg.ConfigOpts, caplog: pytest.LogCaptureFixture
) -> None:
    silence = 200.0
    dog = Watchdog(lambda: silence)
    dog.bites()
    silence = 0.0
    dog.bites()
    silence = 200.0
    dog.bites()
    assert caplog.text.count("no sign of life") == 2


def test_bites_when_asked_to(conf: cfg.ConfigOpts) -> None:
    conf.set_override("recycle_stuck", True, "conductor")
    assert Watchdog(lambda: 200.0).bites()
    assert not Watchdog(lambda: 20.0).bites()


def test_a_long_interval_is_waited_for(conf: cfg.ConfigOpts) -> None:
    conf.set_override("recycle_stuck", True, "conductor")
    conf.set_override("periodic_interval_max", 600)
    assert not Watchdog(lambda: 1700.0).bites()
    assert Watchdog(lambda: 1900.0).bites()
