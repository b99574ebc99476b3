import threading
import time
from collections.abc import Iterator

import pytest
from oslo_config import cfg

from magnumlite.context import RequestContext
from magnumlite.notifications import notifier
from magnumlite.sandbox.ledger import Event, Ledger
from tests.servers.daemon import wait
from tests.unit.sandbox.samples import event


@pytest.fixture
def fake_transport(conf: cfg.ConfigOpts) -> Iterator[None]:
    conf.set_override("transport_url", "fake://")
    conf.set_override("driver", ["messagingv2"], "oslo_messaging_notifications")
    notifier.cleanup()
    yield
    notifier.cleanup()


def _payload(outcome: str) -> dict[str, object]:
    content = {"status": "CREATE_FAILED", "status_reason": "no quota"}
    target = {"id": "u1", "name": "c1", "attachments": [{"content": content}]}
    return {"outcome": outcome, "target": target}


def test_events_of_both_priorities_arrive(fake_transport: None, admin: RequestContext) -> None:
    shown: list[Event] = []
    ledger = Ledger(shown.append)
    ledger.open()
    try:
        sender = notifier.notifier()
        sender.info(admin, "magnum.cluster.create", _payload("pending"))
        sender.error(admin, "magnum.cluster.create", _payload("failure"))
        found = ledger.wait_for("u1", "create", 0, 30)
        assert wait(lambda: len(shown) == 2, 30)
    finally:
        ledger.close()
    assert found is not None
    assert (found.outcome, found.name, found.status, found.reason) == (
        "failure", "c1", "CREATE_FAILED", "no quota",
    )  # fmt: skip
    assert {seen.outcome for seen in shown} == {"pending", "failure"}


def test_only_what_came_later_ends_a_step() -> None:
    ledger = Ledger(lambda _: None)
    ledger._receive(event("a", "success", "update"))
    since = len(ledger)
    assert ledger.wait_for("uuid-a", "update", since, 0.01) is None

    threading.Timer(0.05, ledger._receive, [event("a", "failure", "update")]).start()
    found = ledger.wait_for("uuid-a", "update", since, 30)
    assert found is not None
    assert found.outcome == "failure"


def test_other_clusters_and_actions_do_not_end_a_step() -> None:
    ledger = Ledger(lambda _: None)
    ledger._receive(event("b", "success"))
    ledger._receive(event("a", "success", "delete"))
    assert ledger.wait_for("uuid-a", "create", 0, 0.01) is None


def test_abandoned_nobody_waits() -> None:
    ledger = Ledger(lambda _: None)
    threading.Timer(0.05, ledger.abandon).start()
    begun = time.monotonic()
    assert ledger.wait_for("uuid-a", "create", 0, 250) is None
    assert time.monotonic() - begun < 200
