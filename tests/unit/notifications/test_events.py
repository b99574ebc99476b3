import json
import socket
from collections.abc import Iterator
from typing import Any

import pytest
import sqlalchemy
from oslo_config import cfg
from oslo_messaging.notify import _impl_test
from oslo_utils import uuidutils

from magnumlite import context, objects
from magnumlite.db import engine
from magnumlite.notifications import events, notifier
from magnumlite.objects.fields import ClusterStatus

UUID = "6f9c6a66-1c5b-4d5e-8a57-4f1f9f3e3a10"


@pytest.fixture(autouse=True)
def sent(conf: cfg.ConfigOpts, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    conf.set_override("transport_url", "fake://")
    conf.set_override("driver", ["test"], "oslo_messaging_notifications")
    conf.set_override("host", "host-1")
    monkeypatch.setattr(_impl_test, "NOTIFICATIONS", [])
    notifier.cleanup()
    yield _impl_test.NOTIFICATIONS
    notifier.cleanup()


@pytest.fixture
def cluster(database: str, context: context.RequestContext) -> objects.Cluster:
    objects.register_all()
    cluster = objects.Cluster(
        context,
        uuid=UUID,
        name="c1",
        project_id=context.project_id,
        user_id=context.user_id,
        cluster_template_id=uuidutils.generate_uuid(),
        status="CREATE_COMPLETE",
        docker_volume_size=3,
        health_status="UNHEALTHY",
        health_status_reason={"api": "no"},
    )
    cluster.create()
    for role, name, count in (
        ("master", "m", 3),
        ("worker", "w", 2),
        ("infra", "i", 1),
    ):
        objects.NodeGroup(
            context,
            cluster_id=UUID,
            project_id=context.project_id,
            name=name,
            role=role,
            node_count=count,
            node_addresses=[f"10.0.0.{count}"],
            labels={"a": "b"},
            node_taints=[{"key": "k", "effect": "NoSchedule"}],
            status="UPDATE_FAILED",
            status_reason="why",
        ).create()
    return cluster


def only(sent: list[Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    ((wire_context, message, priority, _),) = sent
    json.dumps([wire_context, message])
    assert (priority == "ERROR") == (message["payload"]["outcome"] == "failure")
    return wire_context, message


def test_nodegroups_are_read_once(
    cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]
) -> None:
    reads: list[str] = []
    sqlalchemy.event.listen(
        engine.engine(), "before_cursor_execute", lambda *args: reads.append(args[2])
    )
    events.cluster(context, "update", "success", cluster)
    assert [statement for statement in reads if "nodegroup" in statement] == reads[-1:]
    content = only(sent)[1]["payload"]["target"]["attachments"][0]["content"]
    assert (content["master_count"], content["node_count"]) == (3, 3)
    assert content["master_addresses"] == ["10.0.0.3"]
    assert sorted(content["node_addresses"]) == ["10.0.0.1", "10.0.0.2"]


def test_size_of_docker_volumes_is_under_both_keys(
    cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]
) -> None:
    # B51
    events.cluster(context, "update", "success", cluster)
    content = only(sent)[1]["payload"]["target"]["attachments"][0]["content"]
    assert content["docker_volume_size"] == content["docker_volume_size:"] == 3


def test_nodegroups_that_are_given_are_not_read(
    cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]
) -> None:
    groups = cluster.nodegroups
    engine.dispose()
    events.cluster(context, "delete", "success", cluster, groups)
    content = only(sent)[1]["payload"]["target"]["attachments"][0]["content"]
    assert content["node_count"] == 3


def test_tokens_stay_here(cluster: objects.Cluster, sent: list[Any]) -> None:
    ctx = context.RequestContext(
        auth_token="secret-1",
        auth_token_info={"token": "secret-2"},
        user_id="u",
        project_id="p",
        is_admin=False,
    )
    events.cluster(ctx, "update", "pending", cluster)
    wire_context, message = only(sent)
    assert "secret" not in json.dumps([wire_context, message])
    assert wire_context["user_id"] == "u"
    initiator = message["payload"]["initiator"]
    assert (initiator["user_id"], initiator["project_id"]) == ("u", "p")
    assert ctx.auth_token == "secret-1"


def test_nobody_need_have_asked(cluster: objects.Cluster, sent: list[Any]) -> None:
    events.cluster(None, "delete", "success", cluster, [])
    wire_context, message = only(sent)
    assert wire_context == {}
    assert sorted(message["payload"]["initiator"]) == ["id", "typeURI"]


@pytest.mark.parametrize(("action", "outcome"), [("create", "pending"), ("delete", "failure")])
def test_nodegroup(
    cluster: objects.Cluster,
    context: context.RequestContext,
    sent: list[Any],
    action: str,
    outcome: str,
) -> None:
    # B51
    group = next(group for group in cluster.nodegroups if group.name == "w")
    events.nodegroup(context, action, outcome, cluster, group)
    message = only(sent)[1]
    assert message["event_type"] == f"magnum.nodegroup.{action}"
    payload = message["payload"]
    assert (payload["action"], payload["outcome"]) == (action, outcome)
    target = payload["target"]
    assert (target["id"], target["name"]) == (group.uuid, "w")
    assert target["typeURI"] == "service/magnum/nodegroup"
    content = target["attachments"][0]["content"]
    assert (content["cluster_uuid"], content["cluster_name"]) == (UUID, "c1")
    assert (content["status"], content["status_reason"]) == ("UPDATE_FAILED", "why")
    assert (content["node_count"], content["role"]) == (2, "worker")
    assert content["node_taints"] == [{"key": "k", "effect": "NoSchedule"}]


def test_nodegroup_of_which_little_is_known(
    cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]
) -> None:
    group = objects.NodeGroup(context, uuid=uuidutils.generate_uuid(), cluster_id=UUID)
    events.nodegroup(context, "delete", "success", cluster, group)
    target = only(sent)[1]["payload"]["target"]
    assert target["id"] == group.uuid
    assert target["attachments"][0]["content"]["status"] is None


def test_credential(
    cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]
) -> None:
    # B51
    events.credential(context, "failure", cluster)
    message = only(sent)[1]
    assert message["event_type"] == "magnum.credential.rotate"
    assert message["payload"]["action"] == "renew"
    assert message["payload"]["target"]["id"] == UUID


def test_health(cluster: objects.Cluster, context: context.RequestContext, sent: list[Any]) -> None:
    # B51
    events.health(context, cluster, "HEALTHY")
    message = only(sent)[1]
    assert message["event_type"] == "magnum.cluster.health"
    content = message["payload"]["target"]["attachments"][0]["content"]
    assert (content["health_status_before"], content["health_status"]) == ("HEALTHY", "UNHEALTHY")
    assert content["health_status_reason"] == {"api": "no"}


def test_event_that_cannot_be_made_is_logged_with_the_cluster(
    cluster: objects.Cluster,
    context: context.RequestContext,
    sent: list[Any],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def away(*args: Any) -> None:
        raise ConnectionError("database is away")

    monkeypatch.setattr(objects.NodeGroup, "list", away)
    events.cluster(context, "update", "success", cluster)
    assert sent == []
    assert UUID in caplog.text
    assert "database is away" in caplog.text


def test_broker_that_is_away_is_given_up_and_logged_with_the_cluster(
    cluster: objects.Cluster,
    context: context.RequestContext,
    conf: cfg.ConfigOpts,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        url = f"rabbit://a:b@127.0.0.1:{closed.getsockname()[1]}/"
        conf.set_override("driver", ["messagingv2"], "oslo_messaging_notifications")
        conf.set_override("transport_url", url, "oslo_messaging_notifications")
        conf.set_override("retry", 1, "oslo_messaging_notifications")
        events.cluster(context, "update", "success", cluster)
    assert UUID in caplog.text
    assert "Could not send notification" in caplog.text


def test_notifications_may_have_a_broker_of_their_own(conf: cfg.ConfigOpts) -> None:
    # B50
    conf.set_override("transport_url", "rabbit://rpc:x@rpc-broker/")
    conf.set_override("transport_url", "rabbit://n:x@other/", "oslo_messaging_notifications")
    hosts = notifier.transport()._driver._url.hosts
    assert [host.hostname for host in hosts] == ["other"]


def test_connection_is_made_anew_after_cleanup() -> None:
    first = notifier.notifier()
    assert notifier.notifier() is first
    notifier.cleanup()
    assert notifier.notifier() is not first


@pytest.mark.parametrize("status", [*ClusterStatus.ALL, None, "", "GONE", "UPDATE", "X_COMPLETE"])
def test_every_status_has_an_action_or_none(status: str | None) -> None:
    # B43
    known = {
        "CREATE_COMPLETE": ("create", "success"),
        "CREATE_FAILED": ("create", "failure"),
        "UPDATE_COMPLETE": ("update", "success"),
        "UPDATE_FAILED": ("update", "failure"),
        "ROLLBACK_COMPLETE": ("update", "success"),
        "ROLLBACK_FAILED": ("update", "failure"),
        "DELETE_COMPLETE": ("delete", "success"),
        "DELETE_FAILED": ("delete", "failure"),
    }
    expected = known.get(status or "", (None, None))
    assert (events.action_of(status), events.outcome_of(status)) == expected
