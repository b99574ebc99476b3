"""Random programs of operations, drivers, crashes and polls, against the state machine.

The model is the specification's: which status may follow which, and who may move it.
"""

from __future__ import annotations

import contextlib
import pathlib
import tempfile
import threading
from collections import Counter
from collections.abc import Iterator
from typing import Any

import hypothesis
import pytest
import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from oslo_messaging.notify import _impl_test as notify_test

from magnumlite import conf as options
from magnumlite import objects
from magnumlite.certs import x509
from magnumlite.conductor import recovery
from magnumlite.db import engine, schema
from magnumlite.drivers import registry
from magnumlite.notifications import notifier
from tests.faults import scale
from tests.faults.machine import world as world_module
from tests.faults.machine.driver import CALLS, POLLS, GatedDriver, Killed
from tests.faults.machine.world import Moved, World

DRIVER = GatedDriver()

KINDS = (
    "resize",
    "update",
    "upgrade",
    "rotate_ca",
    "rotate_credential",
    "nodegroup_create",
    "nodegroup_update",
    "nodegroup_delete",
    "delete",
)

#: A request: worker, cluster, kind, size, and whether it is the less usual variant.
REQUESTS = st.tuples(
    st.integers(0, 1),
    st.integers(0, 2),
    st.sampled_from(KINDS),
    st.integers(0, 5),
    st.booleans(),
)

#: What drivers save by themselves in a call.
OF_DRIVERS = {"UPDATE_COMPLETE", "CHECK_COMPLETE"}

MISHAPS = ("look", "drain", "crash", "crash and recover", "expire")

#: What each may make of a cluster's status, whatever it was before; see also `_legal`.
MAKES = {
    "create_cluster": {"CREATE_FAILED"},
    "update_cluster": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "resize_cluster": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "upgrade_cluster": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "rotate_ca_certificate": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "rotate_credential": set(),
    "create_nodegroup": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "update_nodegroup": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "delete_nodegroup": {"UPDATE_IN_PROGRESS", "UPDATE_FAILED"},
    "delete_cluster": {"DELETE_IN_PROGRESS", "DELETE_FAILED", "DELETE_COMPLETE"},
}


class Programs(RuleBasedStateMachine):
    """One program."""

    @initialize(ready=st.integers(0, 2))
    def start(self, ready: int) -> None:
        """Begin with so many clusters that are complete."""
        self.world = World(DRIVER, notify_test.NOTIFICATIONS)
        self.number = 0
        self.found: dict[str, list[str | None]] = {}
        for _ in range(ready):
            self.create(0)
        self.run(0, ["returns"] * ready)
        self.sweep("completes")

    @precondition(lambda self: len(self.world.clusters()) < 3)
    @rule(worker=st.integers(0, 1))
    def create(self, worker: int) -> None:
        self.world.ask(worker, "cluster_create", self.world.new_cluster(), 1, 2, 60)

    @rule(requests=st.lists(REQUESTS, min_size=1, max_size=5))
    def ask(self, requests: list[tuple[int, int, str, int, bool]]) -> None:
        """Ask for changes of clusters; of those that are calls the caller waits."""
        for request in requests:
            self._ask(*request)

    @rule(worker=st.integers(0, 1), how=st.lists(st.sampled_from(sorted(CALLS)), max_size=4))
    def run(self, worker: int, how: list[str]) -> None:
        """Begin what may begin and let driver calls return: the usual course of things."""
        self.world.begin(worker)
        for one in how:
            if self.world.driver.stopped:
                self.world.go_on(0, CALLS[one])
                self.world.begin(worker)

    @precondition(lambda self: self.world.driver.stopped)
    @rule(index=st.integers(0, 5), how=st.sampled_from(sorted(CALLS)))
    def go_on(self, index: int, how: str) -> None:
        """Let any driver call return, also one that was overtaken long ago."""
        self.world.go_on(index, CALLS[how])

    @rule(how=st.sampled_from(sorted(POLLS)))
    def sweep(self, how: str) -> None:
        """Poll all clusters."""
        for cluster in self.world.clusters():
            self.world.poll(cluster.uuid, POLLS[how])

    @rule(which=st.integers(0, 2), worker=st.integers(0, 1))
    def poll_that_is_overtaken(self, which: int, worker: int) -> None:
        """B02: an operation begins while the driver is asked; what it saves is old."""

        def overtaken(context: Any, polled: Any) -> None:
            thread = threading.Thread(target=self.world.begin, args=(worker,))
            thread.start()
            thread.join()
            POLLS["completes"](context, polled)

        for cluster in self._cluster(which):
            self.world.poll(cluster.uuid, overtaken)

    @precondition(lambda self: self.world.driver.stopped)
    @rule(index=st.integers(0, 5), how=st.sampled_from(sorted(CALLS)), taken=st.booleans())
    def overtake(self, index: int, how: str, taken: bool) -> None:
        """Take a cluster from a driver call, by a delete or its deadline; then it returns."""
        world = self.world
        stopped = world.driver.stopped[index % len(world.driver.stopped)]
        if taken:
            world.ask(0, "cluster_delete", stopped.cluster)
            world.look()
            world.begin(0)
        else:
            world.expire()
            world.recover()
        if stopped in world.driver.stopped:
            world.go_on(world.driver.stopped.index(stopped), CALLS[how])

    @rule(worker=st.integers(0, 1), what=st.sampled_from(MISHAPS))
    def mishap(self, worker: int, what: str) -> None:
        """Stop, kill, wait for too long."""
        world = self.world
        if what == "drain":
            world.drain(worker)
        elif what.startswith("crash"):
            world.crash(worker)
        elif what == "expire":
            world.expire()
        if what in ("expire", "crash and recover"):
            world.recover()
        if what == "look":
            world.look()
        world.deliver(1 - worker)

    def _ask(self, worker: int, which: int, kind: str, size: int, odd: bool) -> None:
        world = self.world
        self.number += 1
        for cluster in self._cluster(which):
            groups = cluster.nodegroups
            group = groups[-1] if odd else cluster.default_ng_worker
            if kind == "resize":
                world.ask(worker, "cluster_resize", cluster, size, [], group)
            elif kind == "update":
                world.ask(worker, "cluster_update", cluster, size, None, None)
            elif kind == "upgrade":
                one = group if odd else None
                world.ask(worker, "cluster_upgrade", cluster, world.template, 1, one, call=True)
            elif kind == "rotate_ca":
                world.ask(worker, "rotate_ca_certificate", cluster, call=True)
            elif kind == "rotate_credential":
                world.ask(worker, "credential_rotate", cluster, call=True)
            elif kind == "nodegroup_create":
                name = "same" if odd else f"ng{self.number}"
                new = world.new_nodegroup(cluster.uuid, name)
                world.ask(worker, "nodegroup_create", cluster, new)
            elif kind == "nodegroup_update":
                group.max_node_count = 5 + size
                world.ask(worker, "nodegroup_update", cluster, group)
            elif kind == "nodegroup_delete" and not groups[-1].is_default:
                world.ask(worker, "nodegroup_delete", cluster, groups[-1])
            elif kind == "delete":
                world.ask(worker, "cluster_delete", cluster.uuid)

    # What holds after each step

    @invariant()
    def statuses_move_as_they_may(self) -> None:
        for move in self.world.moves:
            was = self.found.setdefault(move.cluster, [])
            assert _legal(move, was), f"{move}; before that {was}"
            was.append(move.before)
        self.world.moves = []

    @invariant()
    def nothing_is_orphaned(self) -> None:
        assert self.world.orphans() == []

    @invariant()
    def each_cluster_is_entered_once(self) -> None:
        holders = {row.id for row in self.world.operations() if row.running_key}
        assert len(holders) == len(
            {row.running_key for row in self.world.operations() if row.running_key}
        )

    def teardown(self) -> None:
        """Bring everything to its end; then nothing may be open, lost, leaked or untold."""
        if not hasattr(self, "world"):
            return
        try:
            self._end()
            self._nothing_is_left()
        finally:
            self.world.close()

    def _end(self) -> None:
        world = self.world
        for _ in range(80):
            while world.driver.stopped:
                world.go_on(0, CALLS["returns"])
                self.statuses_move_as_they_may()
            while world.broker:
                world.deliver(0)
            for worker in range(len(world.workers)):
                world.begin(worker)
                self.statuses_move_as_they_may()
            if not world.driver.stopped:
                for cluster in world.clusters():
                    world.poll(cluster.uuid, POLLS["completes"])
                    self.statuses_move_as_they_may()
            world.look()
            self.statuses_move_as_they_may()
            world.recover()
            self.statuses_move_as_they_may()
            if not [row for row in world.operations() if not row.finished_at]:
                return

    def _nothing_is_left(self) -> None:
        world = self.world
        rows = world.operations()
        assert [_line(row) for row in rows if not row.finished_at] == []
        assert [_line(row) for row in rows if not row.notified_at] == []
        failed = {"failed", "refused", "expired", "lost", "superseded"}
        assert [_line(row) for row in rows if row.outcome in failed and not row.reason] == []
        for cluster in world.clusters():
            assert not cluster.status.endswith("_IN_PROGRESS"), cluster
        stored, known = world.certificates()
        assert stored == known
        self._each_end_is_told_once(rows)

    def _each_end_is_told_once(self, rows: list[Any]) -> None:
        told = self.world.told()
        expected: Counter[tuple[str, str, str]] = Counter()
        there = {cluster.uuid for cluster in self.world.clusters()}
        for row in rows:
            if row.outcome == "unchanged" or row.cluster_uuid not in there:
                continue
            good = "success" if row.outcome == "succeeded" else "failure"
            if row.action.startswith("nodegroup_"):
                action = row.action.removeprefix("nodegroup_")
                expected[(f"nodegroup.{action}", good, row.nodegroup_uuid)] += 1
            if row.action == "rotate_credential":
                expected[("credential.rotate", good, row.cluster_uuid)] += 1
        mine = Counter(
            {
                key: count
                for key, count in told.items()
                if key[0].startswith(("nodegroup.", "credential."))
                and key[2] in {target for _, _, target in expected}
            }
        )
        assert mine == expected
        for row in rows:
            if row.action == "create" and row.outcome == "succeeded":
                assert told[("cluster.create", "success", row.cluster_uuid)] == 1
        for uuid in {row.cluster_uuid for row in rows} - there:
            if any(row.cluster_uuid == uuid and row.outcome != "refused" for row in rows):
                assert told[("cluster.delete", "success", uuid)] == 1

    def _cluster(self, which: int) -> list[Any]:
        found = self.world.clusters()
        return [found[which % len(found)]] if found else []


def _legal(move: Moved, was: list[str | None]) -> bool:
    """Tell whether this actor may move a cluster from that status to this one."""
    before, after = str(move.before), str(move.after)
    if before in ("DELETE_IN_PROGRESS", "DELETE_COMPLETE"):
        # B02: a deletion is only ended, never forgotten, unless a driver says so in its call.
        driver = move.actor == "operation delete_cluster" and after in OF_DRIVERS
        return after.startswith("DELETE_") or driver
    if move.actor == "poll":
        if after == "CREATE_COMPLETE" and before == "CREATE_FAILED":
            return True  # B06: after its deadline
        return after.partition("_")[0] == before.partition("_")[0]
    if move.actor in ("recovery", "look"):
        return after in ("CREATE_FAILED", "UPDATE_FAILED", "DELETE_FAILED")
    if move.actor == "accept":
        return after == "UPDATE_IN_PROGRESS"
    name = move.actor.removeprefix("operation").strip()
    made = MAKES.get(name, set().union(*MAKES.values()))
    # What a driver saved itself, and what a refusal gave back, is not of our making.
    return after in made or after in was or after.endswith("_COMPLETE")


def _line(row: Any) -> str:
    return f"{row.action} {row.outcome} {row.reason} of {row.cluster_uuid} by {row.process}"


def _ignore_killed(arguments: threading.ExceptHookArgs) -> None:
    assert arguments.exc_type is Killed, arguments


@contextlib.contextmanager
def _house(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A database with its trigger, a driver, events that are kept, keys that cost nothing."""
    keys = x509.generate_keys(4)
    monkeypatch.setattr(x509, "generate_keys", lambda count: keys[:count])
    monkeypatch.setattr(registry, "for_cluster", lambda *args, **kwargs: DRIVER)
    monkeypatch.setattr(recovery._silence, "last", lambda found: found)
    monkeypatch.setattr(threading, "excepthook", _ignore_killed)
    transaction = engine._transaction

    def guarded(*args: Any, **kwargs: Any) -> Any:
        world_module.guard()
        return transaction(*args, **kwargs)

    monkeypatch.setattr(engine, "_transaction", guarded)
    with tempfile.TemporaryDirectory() as directory:
        conf = options.CONF
        conf.set_override(
            "connection", f"sqlite:///{pathlib.Path(directory) / 'magnum.sqlite'}", "database"
        )
        engine.dispose()
        schema.upgrade()
        with engine.writer() as session:
            session.execute(sa.text(world_module.SEEN))
            session.execute(sa.text(world_module.NOTE))
        yield
        engine.dispose()


@pytest.mark.timeout(1800)
def test_random_programs(conf: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """No illegal transition, no orphan, no leaked certificate, one final event an operation."""
    conf.set_override("cert_manager_type", "x509keypair", "certificates")
    conf.set_override("transport_url", "fake://")
    conf.set_override("driver", ["test"], "oslo_messaging_notifications")
    conf.set_override("delete_wait", 0, "conductor")
    for name in ("update", "upgrade", "delete", "nodegroup", "rotate"):
        conf.set_override(name, 60, "deadline")
    notifier.cleanup()
    objects.register_all()
    with _house(monkeypatch):
        run_state_machine_as_test(
            Programs,
            settings=hypothesis.settings(
                max_examples=scale.count(400, 40),
                stateful_step_count=scale.count(50, 30),
                deadline=None,
                suppress_health_check=list(hypothesis.HealthCheck),
                print_blob=True,
            ),
        )
    notifier.cleanup()
