"""Conductors without threads of their own: the program decides who does what, and when.

Operations run in threads, as they do in a conductor, but one at a time: each step of the program
ends when every thread has ended or stands at a gate of the driver.
"""

from __future__ import annotations

import contextlib
import dataclasses
import threading
import time
import uuid
from collections import Counter
from collections.abc import Collection
from typing import Any

import sqlalchemy as sa

from magnumlite import exception, objects
from magnumlite.conductor import pool as pool_module
from magnumlite.conductor import recovery
from magnumlite.conductor.handlers.ca import CaHandler
from magnumlite.conductor.handlers.cluster import ClusterHandler
from magnumlite.conductor.handlers.credential import CredentialHandler
from magnumlite.conductor.handlers.nodegroup import NodegroupHandler
from magnumlite.conductor.intake import Intake
from magnumlite.conductor.operation import Operation
from magnumlite.conf import CONF
from magnumlite.context import RequestContext, make_admin_context
from magnumlite.db import engine, models, own_models
from magnumlite.journal import claims
from magnumlite.journal.entries import Process
from magnumlite.periodic.queue import RetryLater
from magnumlite.periodic.status import StatusSweep
from magnumlite.rpc import reply
from tests.conftest import PROJECT, USER
from tests.faults.machine.driver import Behaviour, GatedDriver, Killed, polling

#: Seconds for a thread to come to a gate or to its end.
AMPLE = 60.0


@dataclasses.dataclass(frozen=True)
class Moved:
    """A cluster's status was changed, by whom."""

    actor: str
    cluster: str
    before: str | None
    after: str | None


class NoQueue:
    """Stands where a sweep's queue would."""

    def add_all(self, keys: Collection[str]) -> None:
        raise AssertionError("a single poll puts nothing on a queue")

    def own_work(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()


class Worker:
    """One process: its intake, its pool, the threads of its operations."""

    def __init__(self, name: str, world: World) -> None:
        self.process = Process("host", f"{name}:{uuid.uuid4().hex[:6]}")
        self.pool = pool_module.OperationPool(self.process)
        intake = Intake(self.process, self.pool)
        self.clusters = ClusterHandler(intake)
        self.nodegroups = NodegroupHandler(intake)
        self.authority = CaHandler(intake)
        self.credentials = CredentialHandler(intake)

    def begin_one(self) -> int:
        """Begin one operation that is first in its line; return how many it were."""
        CONF.set_override("operation_threads", self.pool._counted() + 1, "conductor")
        return self.pool._begin_heads()

    def look(self) -> None:
        """Do what the pool does once a second."""
        self.pool._take_over()
        self.pool._compare_claims()


class World:
    """Two workers, a sweep, a recovery, a broker that keeps what was cast again."""

    def __init__(self, driver: GatedDriver, events: list[Any]) -> None:
        self.driver = driver
        self.driver.stopped.clear()
        self.driver.process_of = self._process_of
        self.events = events
        self.admin = make_admin_context(all_tenants=True)
        self.dead: set[str] = set()
        self.workers = [Worker("a", self), Worker("b", self)]
        self.broker: list[Operation] = []
        self.moves: list[Moved] = []
        self._sweep = StatusSweep(queue=NoQueue(), owns=lambda key: True)
        self._wipe()
        self.template = self._template()

    # What the program may do

    def ask(self, worker: int, method: str, *arguments: Any, call: bool = False) -> None:
        """Hand a request to a worker, as its RPC server does; a refusal is its caller's."""
        target = self.workers[worker % len(self.workers)]
        context = RequestContext(user_id=USER, project_id=PROJECT, is_admin=False, overwrite=False)
        reply.handling(call)
        handlers = (target.clusters, target.nodegroups, target.authority, target.credentials)
        handler = next(one for one in handlers if hasattr(one, method))
        with contextlib.suppress(exception.MagnumException):
            getattr(handler, method)(context, *arguments)
        self._note("accept")

    def begin(self, worker: int) -> None:
        """Have a worker begin what it may."""
        # One after the other: the order in which they come to their gates is part of the program.
        while self.workers[worker % len(self.workers)].begin_one():
            self._quiet()
        self._note("operation")

    def go_on(self, index: int, behaviour: Behaviour) -> None:
        """Let one driver call that stands at its gate go on."""
        stopped = self.driver.stopped.pop(index % len(self.driver.stopped))
        stopped.go_on(behaviour)
        self._quiet()
        self._note(f"operation {stopped.name}")

    def poll(self, cluster: str, behaviour: Behaviour) -> None:
        """Poll a cluster once."""
        with (
            polling(self.driver, behaviour),
            contextlib.suppress(RuntimeError, RetryLater, exception.MagnumException),
        ):
            self._sweep.poll(cluster)
        self._note("poll")

    def look(self) -> None:
        """Have both workers look after deletes and claims."""
        for worker in self.workers:
            worker.look()
        self._quiet()
        self._note("look")

    def crash(self, worker: int) -> None:
        """Kill a worker and start another in its place."""
        index = worker % len(self.workers)
        dead = self.workers[index]
        self.dead.add(dead.process.name)
        for stopped in [one for one in self.driver.stopped if one.process == dead.process.name]:
            self.driver.stopped.remove(stopped)
            stopped.go_on(_die)
        _join(dead.pool)
        self.workers[index] = Worker("ab"[index], self)
        self._age(own_models.Operation.process == dead.process.name, "heartbeat_at")

    def recover(self) -> None:
        """Have recovery look; what has ended, ended long ago."""
        self._age(own_models.Operation.finished_at.is_not(None), "finished_at")
        recovery.sweep()
        self._note("recovery")

    def expire(self) -> None:
        """Let the deadline of whatever has one pass."""
        with engine.writer() as session:
            session.execute(
                sa.update(own_models.Operation)
                .where(own_models.Operation.deadline_at.is_not(None))
                .values(deadline_at=engine.seconds_ago(1))
            )

    def drain(self, worker: int) -> None:
        """Stop a worker: what waits goes back to the broker; another takes its place."""
        index = worker % len(self.workers)
        leaving = self.workers[index]
        waiting = leaving.pool.stop()
        ours = claims.give_back(leaving.process, [operation.id for operation in waiting])
        self.broker += [operation for operation in waiting if operation.id in ours]
        if leaving.pool._running:
            # It goes on until its driver calls have returned; this one takes no more requests.
            self.workers.append(leaving)
        self.workers[index] = Worker("ab"[index], self)

    def deliver(self, worker: int) -> None:
        """Give the oldest cast on the broker to a worker."""
        if not self.broker:
            return
        operation = self.broker.pop(0)
        method, arguments = operation.request
        context = RequestContext.from_dict(
            {**operation.context.to_dict(), "magnumlite_operation": operation.entry.uuid}
        )
        reply.handling(False)
        target = self.workers[worker % 2]
        for handler in (target.clusters, target.nodegroups, target.authority, target.credentials):
            if hasattr(handler, method):
                getattr(handler, method)(context, **arguments)

    # What it may look at

    def clusters(self) -> list[Any]:
        """Return all clusters, oldest first."""
        return list(objects.Cluster.list(self.admin, sort_key="id"))

    def operations(self) -> list[own_models.Operation]:
        """Return the journal, oldest first."""
        with engine.reader() as session:
            rows = list(
                session.scalars(sa.select(own_models.Operation).order_by(own_models.Operation.id))
            )
            session.expunge_all()
            return rows

    def certificates(self) -> tuple[set[str], set[str]]:
        """Return what is stored and what clusters refer to."""
        with engine.reader() as session:
            stored = set(session.scalars(sa.select(models.X509KeyPair.uuid)))
        named = ("ca_cert_ref", "magnum_cert_ref", "etcd_ca_cert_ref", "front_proxy_ca_cert_ref")
        known = {getattr(cluster, name) for cluster in self.clusters() for name in named}
        return stored, known - {None}

    def orphans(self) -> list[str]:
        """Return nodegroups without a cluster, and clusters without nodegroups."""
        with engine.reader() as session:
            owners = set(session.scalars(sa.select(models.NodeGroup.cluster_id)))
            clusters = set(session.scalars(sa.select(models.Cluster.uuid)))
        return sorted(owners ^ clusters)

    def told(self) -> Counter[tuple[str, str, str]]:
        """Return how often each final event was sent: type, outcome, target."""
        return Counter(
            (
                message["event_type"].removeprefix("magnum."),
                message["payload"]["outcome"],
                message["payload"]["target"]["id"],
            )
            for _, message, _, _ in self.events
            if message["payload"]["outcome"] != "pending"
        )

    def new_cluster(self) -> Any:
        """Return a cluster as magnum-api sends it."""
        return objects.Cluster(
            self.admin,
            uuid=str(uuid.uuid4()),
            name="c",
            project_id=PROJECT,
            user_id=USER,
            cluster_template_id=self.template.uuid,
            create_timeout=60,
            labels={},
        )

    def new_nodegroup(self, cluster: str, name: str) -> Any:
        """Return a nodegroup as magnum-api sends it."""
        return objects.NodeGroup(
            self.admin,
            uuid=str(uuid.uuid4()),
            name=name,
            cluster_id=cluster,
            project_id=PROJECT,
            node_count=1,
            role="worker",
            labels={},
            flavor_id="f",
            image_id="i",
        )

    def close(self) -> None:
        """End all threads."""
        while self.driver.stopped:
            self.driver.stopped.pop().go_on(_die)
        for worker in self.workers:
            _join(worker.pool)

    # Within

    def _process_of(self) -> str:
        """Return the process whose thread asks."""
        mine = threading.current_thread()
        for worker in self.workers:
            if mine in worker.pool._threads:
                return worker.process.name
        raise AssertionError("a driver call outside of every pool")

    def _quiet(self) -> None:
        """Return when every thread has ended or stands at a gate."""
        end = time.monotonic() + AMPLE
        while True:
            running = sum(len(worker.pool._running) for worker in self.workers)
            if running == len(self.driver.stopped):
                return
            assert time.monotonic() < end, "a thread neither ends nor comes to a gate"
            time.sleep(0.001)

    def _note(self, actor: str) -> None:
        """Take over what the database has noted of statuses since the last step."""
        with engine.writer() as session:
            rows = session.execute(
                sa.text("SELECT cluster, before, after FROM seen ORDER BY id")
            ).all()
            session.execute(sa.text("DELETE FROM seen"))
        self.moves += [Moved(actor, *row) for row in rows]

    def _age(self, which: sa.ColumnElement[bool], moment: str) -> None:
        with engine.writer() as session:
            session.execute(
                sa.update(own_models.Operation)
                .where(which)
                .values({moment: engine.seconds_ago(3600)})
            )

    def _wipe(self) -> None:
        with engine.writer() as session:
            for model in (
                own_models.Operation,
                models.NodeGroup,
                models.Cluster,
                models.X509KeyPair,
                models.ClusterTemplate,
            ):
                session.execute(sa.delete(model))
            session.execute(sa.text("DELETE FROM seen"))
        self.events.clear()

    def _template(self) -> Any:
        template = objects.ClusterTemplate(
            self.admin,
            uuid=str(uuid.uuid4()),
            name="t",
            project_id=PROJECT,
            user_id=USER,
            server_type="vm",
            cluster_distro="gated",
            coe="kubernetes",
            image_id="image",
            flavor_id="fl",
            master_flavor_id="mfl",
            labels={},
        )
        template.create()
        return template


def guard() -> None:
    """Raise for a thread whose process is dead: it reaches no database any more."""
    if getattr(threading.current_thread(), "killed", False):
        raise Killed


SEEN = """
CREATE TABLE seen (id INTEGER PRIMARY KEY, cluster TEXT, before TEXT, after TEXT)
"""

NOTE = """
CREATE TRIGGER note AFTER UPDATE OF status ON cluster WHEN old.status IS NOT new.status
BEGIN INSERT INTO seen (cluster, before, after) VALUES (old.uuid, old.status, new.status); END
"""


def _die(context: Any, cluster: Any) -> None:
    threading.current_thread().killed = True  # type: ignore[attr-defined]
    raise Killed


def _join(pool: pool_module.OperationPool) -> None:
    for _ in pool._threads:
        pool._ready.put(None)
    for thread in pool._threads:
        thread.join(AMPLE)
