"""Events are magnum's, as recorded (contract/notifications.md)."""

import copy
import json
import pathlib
from typing import Any

import pytest
from oslo_config import cfg
from oslo_messaging.notify import _impl_test

from magnumlite import context, objects
from magnumlite.notifications import events, notifier

RECORDED = {
    path.stem.removeprefix("magnum.cluster."): json.loads(path.read_text())
    for path in (pathlib.Path(__file__).parent / "data" / "notifications").glob("*.json")
}
# In no capture, but sent beside what is.
ADDED = {"docker_volume_size"}
# Different each time.
FRESH = ("id", "eventTime")


@pytest.fixture(autouse=True)
def sent(conf: cfg.ConfigOpts, monkeypatch: pytest.MonkeyPatch) -> Any:
    """What was handed to the driver: context, message, priority, retry."""
    conf.set_override("transport_url", "fake://")
    conf.set_override("driver", ["test"], "oslo_messaging_notifications")
    conf.set_override("host", "host-1")
    monkeypatch.setattr(_impl_test, "NOTIFICATIONS", [])
    notifier.cleanup()
    yield _impl_test.NOTIFICATIONS
    notifier.cleanup()


def recorded(name: str) -> dict[str, Any]:
    message: dict[str, Any] = RECORDED[name]["body"]["oslo.message"]
    return message


def cluster_of(ctx: context.RequestContext, target: dict[str, Any]) -> objects.Cluster:
    """Return the cluster that a recorded event tells of."""
    content = target["attachments"][0]["content"]
    values = {key: value for key, value in content.items() if key in objects.Cluster.fields}
    values["docker_volume_size"] = content["docker_volume_size:"]
    return objects.Cluster(ctx, uuid=target["id"], name=target["name"], **values)


def nodegroups_of(
    ctx: context.RequestContext, cluster: objects.Cluster, content: dict[str, Any]
) -> list[objects.NodeGroup]:
    return [
        objects.NodeGroup(
            ctx,
            cluster_id=cluster.uuid,
            role=role,
            node_count=content[count],
            node_addresses=content[addresses],
        )
        for role, count, addresses in (
            ("master", "master_count", "master_addresses"),
            ("worker", "node_count", "node_addresses"),
        )
    ]


def masked(payload: dict[str, Any]) -> dict[str, Any]:
    """Return a payload without what is new in each event."""
    payload = copy.deepcopy(payload)
    for part in (payload, payload["observer"], payload["initiator"]):
        for key in FRESH:
            part.pop(key, None)
    return payload


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_event_is_as_recorded(name: str, sent: list[Any]) -> None:
    facts = recorded(name)
    ctx = context.RequestContext.from_dict(
        {
            key.removeprefix("_context_"): value
            for key, value in facts.items()
            if key.startswith("_context_")
        }
    )
    target = facts["payload"]["target"]
    cluster = cluster_of(ctx, target)
    content = target["attachments"][0]["content"]
    action, outcome = name.split("-")
    events.cluster(ctx, action, outcome, cluster, nodegroups_of(ctx, cluster, content))

    ((wire_context, message, priority, _),) = sent
    made = message["payload"]["target"]["attachments"][0]["content"]
    order = [key for key in made if key not in ADDED]
    assert order == list(content)
    assert {made.pop(key) for key in ADDED} == {content["docker_volume_size:"]}
    assert masked(json.loads(json.dumps(message["payload"]))) == masked(facts["payload"])
    for key in ("publisher_id", "event_type", "priority"):
        assert message[key] == facts[key]
    assert RECORDED[name]["routing_keys"] == [f"notifications.{priority.lower()}"]
    without_tokens = {"_context_auth_token": None, "_context_auth_token_info": None}
    assert {f"_context_{key}": value for key, value in wire_context.items()} == {
        key: value for key, value in facts.items() if key.startswith("_context_")
    } | without_tokens


def test_ids_are_fresh_and_time_is_utc(sent: list[Any]) -> None:
    for _ in range(2):
        events.cluster(None, "create", "pending")
    first, second = (message["payload"] for _, message, _, _ in sent)
    ids = [
        part["id"]
        for payload in (first, second)
        for part in (payload, payload["observer"], payload["initiator"], payload["target"])
    ]
    assert len(set(ids)) == 8
    assert first["eventTime"].endswith("+0000")


def test_event_without_a_cluster_has_a_bare_target(sent: list[Any]) -> None:
    events.cluster(None, "delete", "failure")
    ((_, message, _, _),) = sent
    target = message["payload"]["target"]
    assert target == {"id": target["id"], "typeURI": "service/magnum/cluster"}
