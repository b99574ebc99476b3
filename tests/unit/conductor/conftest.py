"""A conductor in one process: real database, fake broker, a driver that a test scripts."""

from __future__ import annotations

import contextlib
import threading
import time
import uuid
from collections.abc import Callable, Collection, Iterator
from typing import Any

import pytest
from oslo_messaging.notify import _impl_test as notify_test

from magnumlite import exception, objects
from magnumlite.conductor.service import Conductor
from magnumlite.drivers import base, registry
from magnumlite.journal import lines
from magnumlite.periodic.status import StatusSweep
from magnumlite.rpc import client, transport


class ScriptedDriver(base.Driver):
    """Records its calls; `on[method]` is called instead of doing nothing."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = []
        self.on: dict[str, Callable[..., Any]] = {}
        self.entered_twice: list[str] = []
        self._inside: set[str] = set()
        self._lock = threading.Lock()

    @property
    def provides(self) -> list[dict[str, str]]:
        return [{"server_type": "vm", "os": "scripted", "coe": "kubernetes"}]

    def _record(self, method: str, *args: Any, **kwargs: Any) -> Any:
        cluster = args[1]
        with self._lock:
            self.calls.append((method, args, kwargs))
            if cluster.uuid in self._inside:
                self.entered_twice.append(cluster.uuid)
            self._inside.add(cluster.uuid)
        try:
            if method in self.on:
                return self.on[method](*args, **kwargs)
        finally:
            with self._lock:
                self._inside.discard(cluster.uuid)

    def names(self) -> list[str]:
        return [name for name, _, _ in self.calls if name != "get_scale_manager"]


def _method(name: str) -> Callable[..., Any]:
    def call(self: ScriptedDriver, *args: Any, **kwargs: Any) -> Any:
        return self._record(name, *args, **kwargs)

    return call


for _name in (
    "create_cluster",
    "update_cluster",
    "delete_cluster",
    "resize_cluster",
    "upgrade_cluster",
    "create_nodegroup",
    "update_nodegroup",
    "delete_nodegroup",
    "rotate_ca_certificate",
    "rotate_credential",
    "pre_delete_cluster",
    "update_cluster_status",
    "create_federation",
    "update_federation",
    "delete_federation",
):
    setattr(ScriptedDriver, _name, _method(_name))
ScriptedDriver.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


class NoQueue:
    """Stands where a sweep's queue would."""

    def add_all(self, keys: Collection[str]) -> None:
        raise AssertionError("a single poll puts nothing on a queue")

    def own_work(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class House:
    """What a test needs of the running conductor."""

    def __init__(self, context: Any, admin: Any, driver: ScriptedDriver) -> None:
        self.context, self.admin, self.driver = context, admin, driver
        self.api = client.API(context, timeout=60)
        self.template = self.make_template()

    def make_template(self) -> Any:
        context = self.context
        template = objects.ClusterTemplate(
            context,
            uuid=str(uuid.uuid4()),
            name="t",
            project_id=context.project_id,
            user_id=context.user_id,
            server_type="vm",
            cluster_distro="scripted",
            coe="kubernetes",
            image_id="image",
            flavor_id="fl",
            master_flavor_id="mfl",
            docker_volume_size=5,
            labels={},
        )
        template.create()
        return template

    def get_status(self, uuid: str) -> str | None:
        """The status in the row, None while there is no row."""
        return None if self.gone(uuid) else self.get(uuid).status

    def new_cluster(self, **fields: Any) -> Any:
        fields.setdefault("labels", {})
        fields.setdefault("name", "c")
        return objects.Cluster(
            self.context,
            uuid=str(uuid.uuid4()),
            project_id=self.context.project_id,
            user_id=self.context.user_id,
            cluster_template_id=self.template.uuid,
            create_timeout=60,
            **fields,
        )

    def create(self, **fields: Any) -> Any:
        """A cluster that has come to CREATE_COMPLETE."""
        cluster = self.new_cluster(**fields)
        self.api.cluster_create(cluster, 1, 3, 60)
        self.finish(cluster.uuid)
        self.events.clear()
        self.driver.calls.clear()
        return self.get(cluster.uuid)

    def get(self, uuid: str) -> Any:
        return objects.Cluster.get_by_uuid(self.admin, uuid)

    def gone(self, uuid: str) -> bool:
        try:
            self.get(uuid)
        except exception.ClusterNotFound:
            return True
        return False

    def workers(self, uuid: str) -> Any:
        return self.get(uuid).default_ng_worker

    def poll(self, uuid: str) -> None:
        """One status poll, as the sweep does it."""
        StatusSweep(queue=NoQueue(), owns=lambda uuid: True).poll(uuid)

    def finish(self, uuid: str, to: str = "COMPLETE") -> None:
        """Poll with a driver that finishes what is in progress, when no operation runs."""
        self.until(lambda: lines.standings().get(uuid, lines.Standing()).pollable)

        def finished(context: Any, cluster: Any) -> None:
            for nodegroup in cluster.nodegroups:
                if nodegroup.status == "DELETE_IN_PROGRESS":
                    nodegroup.destroy()
                elif nodegroup.status.endswith("IN_PROGRESS"):
                    nodegroup.status = nodegroup.status.replace("IN_PROGRESS", to)
                    nodegroup.save()
            cluster.status = cluster.status.replace("IN_PROGRESS", to)
            cluster.save()

        before = self.driver.on.get("update_cluster_status")
        self.driver.on["update_cluster_status"] = finished
        try:
            self.poll(uuid)
        finally:
            self.driver.on.pop("update_cluster_status")
            if before:
                self.driver.on["update_cluster_status"] = before

    @property
    def events(self) -> list[Any]:
        """What the notifier has sent: context, message, priority, retry."""
        return notify_test.NOTIFICATIONS

    def told(self) -> list[tuple[str, str]]:
        """Event type without "magnum." and outcome, in order."""
        return [
            (message["event_type"].removeprefix("magnum."), message["payload"]["outcome"])
            for _, message, _, _ in list(self.events)
        ]

    @staticmethod
    def until(condition: Callable[[], Any], seconds: float = 60) -> Any:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            value = condition()
            if value:
                return value
            time.sleep(0.02)
        raise AssertionError("it did not come to pass")


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> ScriptedDriver:
    """The driver of every cluster."""
    scripted = ScriptedDriver()
    monkeypatch.setattr(registry, "for_cluster", lambda *args, **kwargs: scripted)
    monkeypatch.setattr(registry, "for_template", lambda *args, **kwargs: scripted)
    return scripted


@contextlib.contextmanager
def memory_broker(conf: Any) -> Iterator[None]:
    """oslo.messaging's broker in memory."""
    conf.set_override("transport_url", "fake://")
    conf.set_override("cert_manager_type", "x509keypair", "certificates")
    conf.set_override("rpc_response_timeout", 30)
    conf.set_override("driver", ["test"], "oslo_messaging_notifications")
    yield
    transport.cleanup()


@pytest.fixture
def broker(conf: Any) -> Iterator[None]:
    """oslo.messaging's broker in memory."""
    with memory_broker(conf):
        yield


@pytest.fixture
def house(
    database: str,
    broker: None,
    driver: ScriptedDriver,
    context: Any,
    admin: Any,
) -> Iterator[House]:
    """A running conductor, and everything around it."""
    objects.register_all()
    made = House(context, admin, driver)
    made.events.clear()
    conductor = Conductor("here", 0)
    conductor.start()
    yield made
    conductor.stop(20)
