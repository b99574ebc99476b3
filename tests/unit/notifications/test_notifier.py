"""The notifier: it knows what is out, and does not try a broker that is away again and again."""

import types
from typing import Any

import pytest

from magnumlite.notifications import notifier


@pytest.fixture
def away(conf: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Calls of a broker that takes nothing as long as `away` is true."""
    conf.set_override("transport_url", "fake://")
    conf.set_override("driver", ["messagingv2"], "oslo_messaging_notifications")
    notifier.cleanup()
    tries: list[bool] = []
    state = {"away": True, "tries": tries, "now": 1000.0}

    def send(*args: Any, **kwargs: Any) -> None:
        tries.append(state["away"])
        if state["away"]:
            raise ConnectionRefusedError

    monkeypatch.setattr(notifier.transport()._driver, "send_notification", send)
    monkeypatch.setattr(notifier, "time", types.SimpleNamespace(monotonic=lambda: state["now"]))
    yield state
    notifier.cleanup()


def _send() -> bool:
    return notifier.send({}, "magnum.cluster.create", {}, failure=False)


def test_a_broker_that_is_away_rests_between_two_tries(away: Any) -> None:
    assert not _send()
    assert not _send()
    assert away["tries"] == [True]
    away["now"] += notifier.REST
    assert not _send()
    assert away["tries"] == [True, True]


def test_a_broker_that_is_back_is_used_at_once(away: Any) -> None:
    assert not _send()
    away["away"] = False
    away["now"] += notifier.REST
    assert _send()
    assert _send()
    assert away["tries"] == [True, False, False]
