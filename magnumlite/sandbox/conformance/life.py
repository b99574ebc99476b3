"""One cluster and what is done to it: an operation, then status polls until all of it is final."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Collection
from typing import Any

import sqlalchemy as sa
from oslo_log import log as logging

from magnumlite.conductor import states
from magnumlite.db import engine, models
from magnumlite.drivers import registry
from magnumlite.periodic.status import StatusSweep
from magnumlite.sandbox import view
from magnumlite.sandbox.conformance.hand import Hand, Hung
from magnumlite.sandbox.conformance.record import Call, Failure, Phase, Sight, Step
from magnumlite.sandbox.conformance.requests import STEPS, Requests
from magnumlite.sandbox.conformance.witness import Witness, again

LOG = logging.getLogger(__name__)

#: Seconds between two polls: the first, and at most.
_PAUSE, _LONGEST_PAUSE = 0.05, 1.0
#: Seconds and polls that nodegroups get when the cluster is final.
_GRACE, _GRACE_POLLS = 1.0, 4
#: Polls that fail in the same way, one after the other, until it is no use to go on.
_FAILED_POLLS = 5


class NoQueue:
    """Stands where a sweep's queue would: the tour polls in its own time."""

    def add_all(self, keys: Collection[str]) -> None:
        """Do nothing."""

    def own_work(self) -> contextlib.AbstractContextManager[None]:
        """Mark nothing."""
        return contextlib.nullcontext()


def poll(cluster_uuid: str) -> None:
    """Do one status poll with all its consequences, as the status sweep does."""
    StatusSweep(queue=NoQueue(), owns=lambda uuid: True).poll(cluster_uuid)


def bare_poll(context: Any, cluster: Any) -> None:
    """Ask the driver for the status, and draw no consequences."""
    registry.for_cluster(context, cluster).update_cluster_status(context, cluster)


class Life:
    """Plays steps on one cluster."""

    def __init__(self, requests: Requests, witness: Witness, hand: Hand, timeout: float) -> None:
        """Touch nothing yet. `timeout`: seconds for a step. All polls are done by `hand`."""
        self.requests = requests
        self._witness = witness
        self._hand = hand
        self._timeout = timeout

    def sight(self) -> Sight | None:
        """Return what the database shows, None when the cluster is gone."""
        now = view.one(self.requests.uuid)
        if now is None:
            return None
        groups = {group.name: group.status for group in now.nodegroups}
        return Sight(now.status, groups, now.reason)

    def play(
        self, name: str, *, overtaken: bool = False, accepted: Callable[[], None] | None = None
    ) -> Step:
        """Ask for a step and follow it to its end.

        overtaken: try first what a poll does that may not write. accepted: called in between.

        Raises:
            Hung: `accepted` did.
        """
        step = Step(name, STEPS[name][0], tried=True, before=self.sight())
        begun, since = time.monotonic(), len(self._witness.calls)
        with self._witness.during(Phase.OPERATION, name):
            try:
                self.requests.ask(name)
            except Exception as error:
                # Whatever the driver raised; what it was the witness has seen.
                LOG.info("%s is answered by: %s", name, error)
                step.refusal = Failure.of(error)
        call = self._call(step.method, since)
        if call is not None:
            step.seconds = call.seconds
            step.refusal = call.error or step.refusal
        elif step.refusal is None:
            step.hung = step.method
        step.sights.append(self.sight())
        if step.refusal is None and not step.hung:
            if accepted is not None:
                accepted()
            if STEPS[name][1]:
                try:
                    self._follow(step, overtaken)
                except Hung:
                    step.hung = "update_cluster_status"
        step.total = time.monotonic() - begun
        if _well(step):
            step.unfulfilled = self.requests.unfulfilled(name)
        return step

    def rest(self, name: str, times: int = 2) -> None:
        """Poll the cluster while nothing is going on.

        Raises:
            Hung: the driver does not come back.
        """
        with self._witness.during(Phase.REST, name):
            for _ in range(times):
                self._hand.do(lambda: again(self.requests.uuid, bare_poll), self._timeout)

    def restore(self, before: Sight) -> None:
        """Put back the statuses of before a step that went wrong, so that others can be tried."""
        uuid = self.requests.uuid
        with engine.writer() as session:
            session.execute(
                sa.update(models.Cluster)
                .where(models.Cluster.uuid == uuid)
                .values(status=before.status)
            )
            session.execute(
                sa.update(models.NodeGroup)
                .where(models.NodeGroup.cluster_id == uuid)
                .where(models.NodeGroup.status.not_like("%_COMPLETE"))
                .values(status="UPDATE_COMPLETE")
            )

    def _call(self, method: str, since: int) -> Call | None:
        calls = self._witness.calls[since:]
        return next((call for call in reversed(calls) if call.method == method), None)

    def _follow(self, step: Step, overtaken: bool) -> None:
        uuid, pause = self.requests.uuid, _PAUSE
        end = time.monotonic() + self._timeout
        if overtaken:
            pause = self._overtaken(step.name, end - self._timeout / 2)
        final_since, final_polls, failures = 0.0, 0, 0
        while True:
            with self._witness.during(Phase.POLL, step.name):
                failures = failures + 1 if self._do(lambda: poll(uuid)) else 0
            step.polls += 1
            now = self.sight()
            step.sights.append(now)
            if now is None or failures >= _FAILED_POLLS:
                return
            moving = [s for s in now.nodegroups.values() if states.in_progress(s)]
            if not states.in_progress(now.status) and now.status != "DELETE_COMPLETE":
                final_since, final_polls = final_since or time.monotonic(), final_polls + 1
                waited = time.monotonic() - final_since
                if not moving or (final_polls >= _GRACE_POLLS and waited > _GRACE):
                    return
            elif time.monotonic() > end:
                step.timed_out = True
                return
            else:
                with self._witness.during(Phase.REPEAT, step.name):
                    self._do(lambda: again(uuid, bare_poll))
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)

    def _overtaken(self, name: str, end: float) -> float:
        """Poll without the right to write, until there was something to write; return the pause.

        Raises:
            Hung: the driver does not come back.
        """
        pause = _PAUSE
        while time.monotonic() < end:
            since = len(self._witness.calls)
            with self._witness.during(Phase.OVERTAKEN, name):
                self._do(lambda: again(self.requests.uuid, bare_poll))
            calls = self._witness.calls[since:]
            if any(call.saves or call.unsaved or call.changes or call.error for call in calls):
                break
            time.sleep(pause)
            pause = min(pause * 1.5, _LONGEST_PAUSE)
        return pause

    def _do(self, work: Callable[[], Any]) -> bool:
        """Have the hand do something; tell whether it failed.

        Raises:
            Hung: it does not end.
        """
        try:
            self._hand.do(work, self._timeout)
        except Hung:
            raise
        except Exception as error:
            LOG.info("A poll of cluster %s failed: %s", self.requests.uuid, error)
            return True
        return False


def _well(step: Step) -> bool:
    """Tell whether a step was accepted and ended in success with the cluster still there."""
    accepted = step.refusal is None and not step.hung and not step.timed_out
    return accepted and step.last is not None and states.complete(step.last.status)
