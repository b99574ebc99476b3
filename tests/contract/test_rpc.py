"""Every exchange recorded of magnum-api 23.0.0 and its conductor, replayed against ours."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from oslo_messaging.notify import _impl_test as notify_test

from magnumlite.conductor.service import Conductor
from magnumlite.db import engine, models, own_models
from magnumlite.drivers import registry
from tests.conftest import options_at_defaults, sqlite_database
from tests.contract.replay import DATA, REFERENCES, Record, insert
from tests.servers import daemon
from tests.unit.conductor.conftest import ScriptedDriver, memory_broker

NAMES = sorted(path.stem for path in DATA.iterdir())

DEMO = "11111111111111111111111111111111"
OTHER = "22222222222222222222222222222222"
WITH_CERTIFICATES = ("sign_certificate", "get_ca_certificate", "rotate_ca_certificate")

#: The driver's method that a call ends in, for those whose failure is the driver's.
IN_DRIVER = {
    "cluster_upgrade": "upgrade_cluster",
    "credential_rotate": "rotate_credential",
    "rotate_ca_certificate": "rotate_ca_certificate",
}

#: What is seen of a cast: driver calls and events.
SEEN: dict[str, tuple[list[str], list[tuple[str, str]]]] = {
    "cluster_create": (["create_cluster"], [("cluster.create", "pending")]),
    "cluster_delete": (["pre_delete_cluster", "delete_cluster"], [("cluster.delete", "pending")]),
    "cluster_resize": ([], [("cluster.update", "failure")]),
    "cluster_update": ([], [("cluster.update", "failure")]),
    "federation_create": ([], []),
    "nodegroup_create": (["create_nodegroup"], [("nodegroup.create", "pending")]),
    "nodegroup_delete": (["delete_nodegroup"], [("nodegroup.delete", "pending")]),
    "nodegroup_update": (["update_nodegroup"], [("nodegroup.update", "pending")]),
}

#: Texts that are not the recorded ones, and why; class, module and the names of kwargs are.
OTHER_TEXT = {
    "cluster_delete-TypeError": "names the class of the handler",
    "ping_conductor-TypeError": "names the class of the handler",
    "federation_delete-NotImplementedError": "tells what is not implemented",
    "credential_rotate-NotSupported": "named a module of magnum's, now the operation",
    "sign_certificate-InvalidCsr": "tells what is wrong with the request",
}


def template(ident: str, project: str = DEMO) -> None:
    insert(
        "ClusterTemplate",
        uuid=ident,
        project_id=project,
        user_id=project,
        coe="kubernetes",
        server_type="vm",
        cluster_distro="ubuntu",
        labels={},
    )


def cluster(ident: str, project: str = DEMO, template_id: str = "t", **values: Any) -> None:
    insert(
        "Cluster",
        uuid=ident,
        project_id=project,
        user_id=project,
        cluster_template_id=template_id,
        status="CREATE_COMPLETE",
        labels={},
        **values,
    )


def worker(cluster_id: str, project: str = DEMO, **values: Any) -> None:
    insert(
        "NodeGroup",
        uuid=str(uuid.uuid4()),
        cluster_id=cluster_id,
        project_id=project,
        is_default=True,
        **{"name": "default-worker", "role": "worker", "node_count": 1, **values},
    )


def _project_of_many(record: Record) -> None:
    counts = [3, 2, 2, 2, 2, 2, 2, 2]
    for number, count in enumerate(counts):
        cluster(f"c{number}", name="many")
        worker(f"c{number}", node_count=count)
    cluster("foreign", OTHER)
    worker("foreign", OTHER, node_count=100)


def _twins(record: Record) -> None:
    cluster("one", name="svc")
    cluster("two", name="svc")


#: Rows that neither request nor result names.
MORE: dict[str, Callable[[Record], None]] = {
    "cluster_create": lambda record: template(
        record.arguments["cluster"]["magnum_object.data"]["cluster_template_id"]
    ),
    "cluster_delete": lambda record: cluster(record.arguments["uuid"], OTHER),
    "cluster_update": lambda record: worker(
        record.arguments["cluster"]["magnum_object.data"]["uuid"]
    ),
    "object_action-ClusterTemplate.destroy-ClusterTemplateReferenced": lambda record: cluster(
        "user", template_id=record.arguments["objinst"]["magnum_object.data"]["uuid"]
    ),
    "object_action-Quota.delete": lambda record: insert(
        "Quota", hard_limit=1, **record.arguments["objinst"]["magnum_object.data"]
    ),
    "object_class_action_versions-Cluster.get_by_name-Conflict": _twins,
    "object_class_action_versions-Stats.get_cluster_stats": _project_of_many,
}


class Stage:
    """A running conductor and its driver."""

    def __init__(self) -> None:
        self.driver = ScriptedDriver()

    def seen(self) -> tuple[list[str], list[tuple[str, str]]]:
        """The driver's calls, and type and outcome of the events."""
        events = [
            (message["event_type"].removeprefix("magnum."), message["payload"]["outcome"])
            for _, message, _, _ in list(notify_test.NOTIFICATIONS)
        ]
        return self.driver.names(), events

    def clear(self) -> None:
        with engine.writer() as session:
            for table in (*models.Base.metadata.sorted_tables, own_models.Operation.__table__):
                session.execute(table.delete())
        self.driver.calls.clear()
        self.driver.on.clear()
        notify_test.NOTIFICATIONS.clear()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    made = Stage()
    with (
        options_at_defaults() as conf,
        sqlite_database(conf, tmp_path_factory.mktemp("rpc")),
        memory_broker(conf),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.setattr(registry, "for_cluster", lambda *args, **kwargs: made.driver)
        conductor = Conductor("here", 0)
        conductor.start()
        yield made
        conductor.stop(20)


@pytest.fixture
def stage(running: Stage) -> Iterator[Stage]:
    running.clear()
    yield running
    _wait_for(lambda: not _under_way(), "the operation to end")


@pytest.mark.parametrize("name", NAMES)
def test_exchange(name: str, stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    record = Record(name)
    record.make_rows()
    MORE.get(name, lambda record: None)(record)
    if name.startswith(WITH_CERTIFICATES):
        record.make_certificates()
    if record.failure and record.failure["class"] == "RuntimeError":
        _let_fail(stage.driver, IN_DRIVER[record.request["method"]], record.failure["message"])

    result, failure = record.send()

    if name == "federation_create":
        _wait_for(lambda: "federation_create refused" in caplog.text, "the refusal")
    if not record.answered:
        _wait_for(lambda: stage.seen() == SEEN[name], f"{SEEN[name]}")
    elif record.failure:
        _same_failure(name, failure, record.failure)
    else:
        assert failure is None
        _same_result(name, result, record.result)


def _let_fail(scripted: ScriptedDriver, method: str, text: str) -> None:
    def fail(*args: Any, **kwargs: Any) -> None:
        raise RuntimeError(text)

    scripted.on[method] = fail


def _wait_for(condition: Callable[[], bool], what: str) -> None:
    assert daemon.wait(condition, 30), f"waited for {what}"


def _under_way() -> bool:
    with engine.reader() as session:
        return bool(
            session.query(own_models.Operation)
            .filter_by(released_at=None, finished_at=None)
            .count()
        )


def _same_failure(name: str, sent: dict[str, Any] | None, recorded: dict[str, Any]) -> None:
    assert sent is not None
    del sent["tb"]
    if name in OTHER_TEXT:
        for part in (sent, recorded):
            del part["message"], part["args"]
            part["kwargs"] = sorted(part["kwargs"])
    assert sent == recorded


#: What is made anew each time.
FRESH = {*REFERENCES, "created_at", "updated_at", "pem", "uuid", "id"}


def _same_result(name: str, sent: Any, recorded: Any) -> None:
    if name.startswith("object_class_action_versions"):
        assert sent == recorded
    else:
        assert _masked(sent) == _masked(recorded)


def _masked(value: Any) -> Any:
    if isinstance(value, list):
        return [_masked(item) for item in value]
    if isinstance(value, dict):
        masked = {key: "*" if key in FRESH else _masked(item) for key, item in value.items()}
        if "magnum_object.changes" in masked:
            masked["magnum_object.changes"] = sorted(masked["magnum_object.changes"])
        return masked
    return value
