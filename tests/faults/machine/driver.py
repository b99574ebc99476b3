"""A driver whose calls stop at a gate, until the program says how they go on."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from magnumlite import exception, objects
from magnumlite.drivers import base

Behaviour = Callable[[Any, Any], None]


class Killed(BaseException):
    """The process of this thread is dead: nothing of it goes on."""


class Stopped:
    """A driver call at its gate."""

    def __init__(self, process: str, cluster: str, name: str) -> None:
        self.process, self.cluster, self.name = process, cluster, name
        self._go = threading.Event()
        self._behaviour: Behaviour = quietly

    def go_on(self, behaviour: Behaviour) -> None:
        """Let the call go on like this."""
        self._behaviour = behaviour
        self._go.set()

    def wait(self, context: Any, cluster: Any) -> None:
        """Wait for `go_on`, then behave."""
        self._go.wait()
        self._behaviour(context, cluster)


class GatedDriver(base.Driver):
    """Every call but the poll stops; the poll does what `poll` says."""

    def __init__(self) -> None:
        self.stopped: list[Stopped] = []
        self.poll: Behaviour = quietly
        self.process_of: Callable[[], str] = lambda: ""

    provides = [{"server_type": "vm", "os": "gated", "coe": "kubernetes"}]

    def update_cluster_status(
        self, context: Any, cluster: Any, use_admin_ctx: bool = False
    ) -> None:
        self.poll(context, cluster)

    def _stop(self, name: str, context: Any, cluster: Any) -> None:
        stopped = Stopped(self.process_of(), cluster.uuid, name)
        self.stopped.append(stopped)
        stopped.wait(context, cluster)


def _method(name: str) -> Callable[..., None]:
    def call(self: GatedDriver, context: Any, cluster: Any, *args: Any, **kwargs: Any) -> None:
        self._stop(name, context, cluster)

    return call


for _name in (*base.Driver.__abstractmethods__, "rotate_ca_certificate", "rotate_credential"):
    if _name != "provides":
        setattr(GatedDriver, _name, _method(_name))
GatedDriver.__abstractmethods__ = frozenset()  # type: ignore[attr-defined]


def quietly(context: Any, cluster: Any) -> None:
    """Return at once, having changed nothing."""


def raises(error: Callable[[], BaseException]) -> Behaviour:
    """Raise."""

    def behave(context: Any, cluster: Any) -> None:
        raise error()

    return behave


def saves(status: str) -> Behaviour:
    """Save a status through an object of its own."""

    def behave(context: Any, cluster: Any) -> None:
        own = objects.Cluster.get_by_uuid(context, cluster.uuid)
        own.status = status
        own.status_reason = "by the driver \U0001f680"
        own.save()

    return behave


def finishes(to: str, *, nodegroups: bool = True, saved: bool = True) -> Behaviour:
    """Bring what is in progress to COMPLETE or FAILED, with or without its nodegroups."""

    def behave(context: Any, cluster: Any) -> None:
        for group in cluster.nodegroups if nodegroups else ():
            if group.status == "DELETE_IN_PROGRESS" and not group.is_default:
                group.status = "DELETE_COMPLETE"
                group.save()
            elif str(group.status).endswith("IN_PROGRESS"):
                group.status = group.status.replace("IN_PROGRESS", to)
                group.save()
        if cluster.status.endswith("IN_PROGRESS"):
            cluster.status = cluster.status.replace("IN_PROGRESS", to)
            if saved:
                cluster.save()

    return behave


class HTTPNotFound(Exception):
    """What clients of clouds raise for what is gone."""


class HTTPConflict(Exception):
    """What clients of clouds raise for what is busy."""

    code = 409


#: How a call may go on, by what is said of it.
CALLS: dict[str, Behaviour] = {
    "returns": quietly,
    "fails": raises(lambda: RuntimeError("boom")),
    "is not supported": raises(lambda: exception.NotSupported("no")),
    "finds the request wrong": raises(lambda: exception.InvalidParameterValue("no such size")),
    "finds nothing": raises(HTTPNotFound),
    "is busy": raises(HTTPConflict),
    "exits": raises(lambda: SystemExit(1)),
    "says much": raises(lambda: RuntimeError("\U0001f680" * 100_000)),
    "has no text": raises(RuntimeError),
    "finishes by itself": finishes("COMPLETE"),
    "saves UPDATE_COMPLETE": saves("UPDATE_COMPLETE"),
    "saves CHECK_COMPLETE": saves("CHECK_COMPLETE"),
}

#: What a poll may do.
POLLS: dict[str, Behaviour] = {
    "completes": finishes("COMPLETE"),
    "completes without saving": finishes("COMPLETE", saved=False),
    "fails it": finishes("FAILED"),
    "leaves nodegroups": finishes("COMPLETE", nodegroups=False),
    "says nothing": quietly,
    "raises": raises(lambda: RuntimeError("boom")),
    "exits": raises(lambda: SystemExit(1)),
}


@contextlib.contextmanager
def polling(driver: GatedDriver, behaviour: Behaviour) -> Iterator[None]:
    """Have polls behave like this inside the block."""
    driver.poll = behaviour
    try:
        yield
    finally:
        driver.poll = quietly
