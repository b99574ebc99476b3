"""Stands between the conductor and a driver, and writes down each call."""

from __future__ import annotations

import contextlib
import functools
import gc
import logging
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.conductor import errors
from magnumlite.db import fence
from magnumlite.journal import lines
from magnumlite.objects import fields
from magnumlite.sandbox.conformance import rows
from magnumlite.sandbox.conformance.record import Call, Failure, Phase
from magnumlite.sandbox.conformance.watching import WatchingFence

#: Method to the place of the cluster among the arguments after self.
METHODS = {
    "create_cluster": 1,
    "update_cluster": 1,
    "delete_cluster": 1,
    "pre_delete_cluster": 1,
    "resize_cluster": 1,
    "upgrade_cluster": 1,
    "create_nodegroup": 1,
    "update_nodegroup": 1,
    "delete_nodegroup": 1,
    "rotate_ca_certificate": 1,
    "rotate_credential": 1,
    "update_cluster_status": 1,
    "get_monitor": 1,
    "get_scale_manager": 2,
}

#: What a user or the conductor decides: a driver reads it.
THEIRS = {
    "Cluster": ("name", "project_id", "user_id", "keypair", "labels"),
    "NodeGroup": ("name", "project_id", "cluster_id", "role", "is_default", "labels"),
    "ClusterTemplate": ("name", "project_id", "user_id", "driver", "labels", "image_id"),
}

#: Threads of the conductor, which may come while a driver is at work.
_OURS = ("operation", "operations", "claims", "pre-delete", "conformance")
#: Seconds that a thread which a call has left gets, before it counts as left.
_THREAD_PATIENCE = 1.0


class Witness:
    """Keeps the calls of one driver. Any thread."""

    def __init__(self) -> None:
        self.calls: list[Call] = []
        #: Set while several clusters are worked on: tables are not compared then.
        self.crowd = False
        self._phase, self._step = Phase.OPERATION, ""
        self._lock = threading.Lock()
        self._inside = threading.local()
        self._threads: list[threading.Thread] = []
        self._given: list[tuple[str, str, weakref.ref[Any]]] = []

    @contextlib.contextmanager
    def during(self, phase: Phase, step: str) -> Iterator[None]:
        """Tell why the driver is called inside the block."""
        before = self._phase, self._step
        self._phase, self._step = phase, step
        try:
            yield
        finally:
            self._phase, self._step = before

    def stands_before(self, driver: type[Any]) -> type[Any]:
        """Return a subclass that is called like the driver and tells this witness."""
        members: dict[str, Any] = {
            name: _watched(self, driver, name, place) for name, place in METHODS.items()
        }
        members["__module__"], members["__qualname__"] = driver.__module__, driver.__qualname__
        members["__doc__"] = driver.__doc__
        metaclass: Any = type(driver)
        subclass: type[Any] = metaclass(driver.__name__, (driver,), members)
        return subclass

    def kept(self) -> dict[str, set[str]]:
        """Return kinds of objects that outlived their call, by method; asked at rest."""
        gc.collect()
        found: dict[str, set[str]] = {}
        for method, kind, given in self._given:
            if given() is not None:
                found.setdefault(method, set()).add(kind)
        return found

    def threads_alive(self) -> dict[int, str]:
        """Return the threads that calls have begun and that have not ended: identity to name."""
        return {thread.ident or 0: thread.name for thread in self._threads if thread.is_alive()}

    @contextlib.contextmanager
    def listening(self) -> Iterator[None]:
        """Hear what the objects say about None among addresses."""
        handler = _AddressHandler(self)
        logger = logging.getLogger(fields.__name__)
        logger.addHandler(handler)
        try:
            yield
        finally:
            logger.removeHandler(handler)

    @property
    def current(self) -> Call | None:
        """The call that this thread is in."""
        return getattr(self._inside, "call", None)

    def watch(
        self, method: str, instance: Any, place: int, call: Callable[[], Any], given: list[Any]
    ) -> Any:
        """Make a call of the driver and write it down; a call inside a call is part of it."""
        if self.current is not None or len(given) <= place:
            return call()
        cluster = given[place]
        noted = Call(
            method, self._phase, self._step, cluster.uuid, threading.get_ident(), id(instance)
        )
        watched = [thing for thing in given if isinstance(thing, _watched_kinds())]
        before = _Before(watched, crowd=self.crowd)
        job = fence.current() or job_of(cluster)
        watching = WatchingFence(job, overtaken=noted.phase is Phase.OVERTAKEN)
        self._inside.call = noted
        begun = time.monotonic()
        try:
            with fence.holding(watching):
                return call()
        except BaseException as error:
            noted.error = Failure.of(error)
            raise
        finally:
            noted.seconds = time.monotonic() - begun
            self._inside.call = None
            noted.saves = watching.saves
            left = before.compare(noted, cluster)
            with self._lock:
                self._threads += left
                self.calls.append(noted)
                if noted.is_poll:
                    self._given += [(method, type(t).__name__, weakref.ref(t)) for t in watched]


class _Before:
    """What there was before a call."""

    def __init__(self, given: list[Any], *, crowd: bool) -> None:
        self._given = given
        self._theirs = [_theirs(thing) for thing in given]
        self._threads = set(threading.enumerate())
        self._rows = None if crowd else rows.take()

    def compare(self, call: Call, cluster: Any) -> list[threading.Thread]:
        """Write into the call what has become different; return threads that it has left."""
        for thing, before in zip(self._given, self._theirs, strict=True):
            after = _theirs(thing)
            kind = type(thing).__name__
            call.trespasses += [
                (kind, name, before[name], after[name])
                for name in before
                if before[name] != after[name]
            ]
        call.unsaved = {
            name: rows.plain(value) for name, value in cluster.obj_get_changes().items()
        }
        if self._rows is None:
            return []
        left = self._left_threads()
        call.threads = sorted(thread.name for thread in left)
        after_rows = rows.take()
        call.changes = rows.differences(self._rows, after_rows)
        if call.error is None:
            for thing in self._given:
                call.stale += _stale(thing, after_rows, call)
        return left

    def _left_threads(self) -> list[threading.Thread]:
        """Return new threads that are still there after they had time to end."""
        until = time.monotonic() + _THREAD_PATIENCE
        left = []
        for thread in set(threading.enumerate()) - self._threads:
            if thread.name.partition("-")[0] in _OURS or thread.name in _OURS:
                continue
            thread.join(max(0.0, until - time.monotonic()))
            if thread.is_alive():
                left.append(thread)
        return left


class _AddressHandler(logging.Handler):
    """Notes the warning of AddressListField in the call that brought it about."""

    def __init__(self, witness: Witness) -> None:
        super().__init__(logging.WARNING)
        self._witness = witness

    def emit(self, record: logging.LogRecord) -> None:
        call = self._witness.current
        if call is not None and isinstance(record.args, dict) and "field" in record.args:
            call.nones.add(str(record.args["field"]))


def _watched(witness: Witness, driver: type[Any], name: str, place: int) -> Callable[..., Any]:
    original = getattr(driver, name)

    @functools.wraps(original)
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        work = functools.partial(original, self, *args, **kwargs)
        return witness.watch(name, self, place, work, list(args))

    return call


def job_of(cluster: Any) -> fence.Fence:
    """Return the fence of a poll that begins now."""
    line, _ = lines.read(cluster._context, cluster.uuid)
    return fence.PollFence(cluster.uuid, line.fence, cluster.status)


def again(cluster_uuid: str, ask: Callable[[Any, Any], Any]) -> Any:
    """Call ``ask(context, cluster)`` with the cluster as it is now and nothing drawn from it.

    Errors are in the witness's notes; a cluster that is gone is not asked about.
    """
    context = request_context.make_admin_context(all_tenants=True)
    try:
        cluster = objects.Cluster.get_by_uuid(context, cluster_uuid)
    except exception.ClusterNotFound:
        return None
    with (
        contextlib.suppress(Exception),
        request_context.using(context),
        fence.holding(job_of(cluster)),
        errors.contained(),
    ):
        return ask(context, cluster)


def _watched_kinds() -> tuple[type[Any], ...]:
    return objects.Cluster, objects.NodeGroup, objects.ClusterTemplate


def _theirs(thing: Any) -> dict[str, Any]:
    names = THEIRS[type(thing).__name__]
    return {n: rows.plain(getattr(thing, n)) for n in names if thing.obj_attr_is_set(n)}


def _stale(thing: Any, found: rows.Rows, call: Call) -> list[tuple[str, str, Any, Any]]:
    """Return fields that the call wrote and that the given object, unchanged, shows otherwise."""
    table = {"Cluster": "cluster", "NodeGroup": "nodegroup"}.get(type(thing).__name__, "")
    row = found.get((table, thing.id)) if thing.obj_attr_is_set("id") else None
    if row is None:
        return []
    written = {(change.table, change.field) for change in call.changes}
    # What was saved from the object itself may have been cut to fit its column.
    saved = [save.values for save in call.saves if save.table == table and not save.refused]
    return [
        (type(thing).__name__, name, getattr(thing, name), row[name])
        for name in thing.fields
        if (table, name) in written
        and not any(name in v and v[name] == getattr(thing, name) for v in saved)
        and thing.obj_attr_is_set(name)
        and name not in thing.obj_what_changed()
        and getattr(thing, name) != row[name]
    ]
