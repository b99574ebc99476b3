"""Several clusters at once, each with a thread of its own."""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence

from magnumlite.conductor import states
from magnumlite.sandbox import view
from magnumlite.sandbox.conformance.hand import Hand, Hung, wait
from magnumlite.sandbox.conformance.life import bare_poll, poll
from magnumlite.sandbox.conformance.record import Failure, Phase, Record, Sight, Step
from magnumlite.sandbox.conformance.requests import Requests
from magnumlite.sandbox.conformance.witness import Witness, again

#: Rounds of polls of clusters at rest.
_ROUNDS = 5
_PAUSE = 0.05
#: Polls that nodegroups get when the clusters are final.
_GRACES = 20
#: Seconds that a thread may run before others get their turn: short, so that races show.
_SWITCH = 1e-4


class Crowd:
    """Creates, polls and deletes clusters, all at the same time."""

    def __init__(self, members: Sequence[Requests], witness: Witness, timeout: float) -> None:
        """Touch nothing yet; `timeout`: seconds for each of the three."""
        self._members = members
        self._witness = witness
        self._timeout = timeout
        self._hands = [Hand(f"conformance-{number}") for number in range(len(members))]

    def live(self, record: Record) -> None:
        """Go through it all; how each member ended is in the record's crowd."""
        self._witness.crowd = True
        try:
            with _often_switched():
                self._through("create", record)
                if not record.crowd_stuck:
                    with self._witness.during(Phase.CROWD, "rest"):
                        for _ in range(_ROUNDS):
                            self._all(lambda uuid: again(uuid, bare_poll), record)
                if not record.crowd_stuck:
                    self._through("delete", record)
        finally:
            self._witness.crowd = False
            for hand in self._hands:
                hand.close()

    def _through(self, name: str, record: Record) -> None:
        """Ask for one step for each member, and poll all until each is final."""
        steps = [Step(name, tried=True) for _ in self._members]
        with self._witness.during(Phase.CROWD, name):
            asked = [
                hand.begin(lambda member=member: member.ask(name))  # type: ignore[misc]
                for hand, member in zip(self._hands, self._members, strict=True)
            ]
            for step, future in zip(steps, asked, strict=True):
                try:
                    wait(future, self._timeout + 10)
                except Hung:
                    record.crowd_stuck += 1
                except Exception as error:
                    # Whatever the driver raised: the witness has seen it.
                    step.refusal = Failure.of(error)
            end, graces = time.monotonic() + self._timeout, 0
            while not record.crowd_stuck and time.monotonic() < end and graces < _GRACES:
                self._all(poll, record)
                for step, member in zip(steps, self._members, strict=True):
                    step.sights.append(_sight(member.uuid))
                if all(_final(step) for step in steps):
                    break
                # Nodegroups may be a little later than their clusters.
                graces += all(_final(step, nodegroups=False) for step in steps)
                time.sleep(_PAUSE)
        for step in steps:
            step.timed_out = not _final(step)
        record.crowd += steps

    def _all(self, work: Callable[[str], object], record: Record) -> None:
        """Have each hand do its part, begun at the same moment; wait for all."""
        start = threading.Barrier(len(self._hands))

        def one(uuid: str) -> None:
            start.wait(self._timeout)
            work(uuid)

        doing = [
            hand.begin(lambda uuid=member.uuid: one(uuid))  # type: ignore[misc]
            for hand, member in zip(self._hands, self._members, strict=True)
        ]
        for future in doing:
            try:
                wait(future, self._timeout)
            except Hung:
                record.crowd_stuck += 1
            except Exception:  # noqa: S110 - what the driver raised the witness has seen
                pass


def _sight(uuid: str) -> Sight | None:
    now = view.one(uuid)
    if now is None:
        return None
    return Sight(now.status, {g.name: g.status for g in now.nodegroups}, now.reason)


def _final(step: Step, *, nodegroups: bool = True) -> bool:
    if step.refusal is not None or step.last is None:
        return True
    statuses = [step.last.status, *(step.last.nodegroups.values() if nodegroups else ())]
    return not any(states.in_progress(status) or not status for status in statuses)


@contextlib.contextmanager
def _often_switched() -> Iterator[None]:
    before = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    try:
        yield
    finally:
        sys.setswitchinterval(before)
