"""The tour: a first life through every operation, a second that is measured, then a crowd."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any

from magnumlite.conductor import errors, states
from magnumlite.drivers import registry
from magnumlite.sandbox.conformance import probes, rows
from magnumlite.sandbox.conformance.crowd import Crowd
from magnumlite.sandbox.conformance.hand import Hand, Hung
from magnumlite.sandbox.conformance.life import Life
from magnumlite.sandbox.conformance.record import Phase, Probe, Record, Step
from magnumlite.sandbox.conformance.requests import STEPS, Requests
from magnumlite.sandbox.conformance.residue import Residue
from magnumlite.sandbox.conformance.witness import Witness, again

#: Steps in which polls that were overtaken are tried.
_OVERTAKEN = ("create", "update", "resize", "nodegroup create")

Ask = Callable[[Any, Any, Probe], None]
MakeRequests = Callable[[str], Requests]


class Tour:
    """Plays everything and fills a record."""

    def __init__(
        self,
        record: Record,
        witness: Witness,
        requests: MakeRequests,
        timeout: float,
        crowd: int,
        say: Callable[[str], None],
    ) -> None:
        """Touch nothing yet.

        requests: makes what asks for operations on a cluster of a given name. timeout: seconds
        for a step. crowd: how many clusters live at once. say: is told what goes on.
        """
        self._record = record
        self._witness = witness
        self._requests = requests
        self._timeout = timeout
        self._crowd = crowd
        self._say = say
        self._hand = Hand("conformance")

    def go(self, temporary: Path, ours: Path, at_the_end: Callable[[], None]) -> None:
        """Play; the two directories are those of Residue.take.

        at_the_end: called before the rows that are left are counted.
        """
        record = self._record
        try:
            if self._first_life():
                before = self._residue(temporary, ours)
                if self._second_life():
                    record.residue = before, self._residue(temporary, ours)
                    record.kept = self._hand.do(self._witness.kept, self._timeout)
                    self._say(f"{self._crowd} clusters at once")
                    crowd = [self._requests(f"crowd-{n + 1}") for n in range(self._crowd)]
                    Crowd(crowd, self._witness, self._timeout).live(record)
                    if all(step.last is None for step in record.crowd[-self._crowd :]):
                        at_the_end()
                        record.left_rows = {t: n for t, n in rows.count().items() if n}
        except Hung:
            self._say("the driver hangs")
        finally:
            record.calls = self._witness.calls
            self._hand.close()
            record.steps = _in_order(record.steps)

    def _residue(self, temporary: Path, ours: Path) -> Residue:
        return Residue.take(temporary, ours, self._witness.threads_alive())

    def _first_life(self) -> bool:
        """Play every operation; tell whether the cluster was made and is gone."""
        life = Life(self._requests("first"), self._witness, self._hand, self._timeout)
        made = self._step(life, "create")
        if made.hung:
            return False
        if _good(made):
            self._probes(life)
            if not self._operations(life):
                return False
        deleted = self._step(life, "delete", accepted=lambda: self._delete_again(life))
        return _good(made) and deleted.last is None

    def _operations(self, life: Life) -> bool:
        """Play what is between create and delete; tell whether the driver still answers."""
        skipped: dict[str, str] = {}
        for name in [name for name in STEPS if name not in ("create", "delete")]:
            if name in skipped:
                self._record.steps.append(Step(name, STEPS[name][0], why_untried=skipped[name]))
                continue
            step = self._step(life, name)
            if step.hung:
                return False
            if name == "nodegroup create" and (step.refusal or not _good(step)):
                why = "there is no nodegroup"
                skipped = {"nodegroup update": why, "nodegroup delete": why}
            if not _good(step) and step.before is not None:
                life.restore(step.before)
            elif step.refusal is None:
                life.rest(name)
        return True

    def _second_life(self) -> bool:
        """Create and delete another cluster; tell whether it is gone."""
        life = Life(self._requests("second"), self._witness, self._hand, self._timeout)
        steps = []
        for name in ("create", "delete"):
            self._say(f"a second life: {name}")
            steps.append(life.play(name))
        return steps[-1].last is None

    def _step(self, life: Life, name: str, accepted: Callable[[], None] | None = None) -> Step:
        self._say(name)
        step = life.play(name, overtaken=name in _OVERTAKEN, accepted=accepted)
        self._record.steps.append(step)
        if name == "create" and _good(step):
            life.rest(name)
        return step

    def _delete_again(self, life: Life) -> None:
        def delete(context: Any, cluster: Any) -> None:
            registry.for_cluster(context, cluster).delete_cluster(context, cluster)

        with self._witness.during(Phase.AGAIN, "delete"):
            self._hand.do(lambda: again(life.requests.uuid, delete), self._timeout)

    def _probes(self, life: Life) -> None:
        asked: list[tuple[str, Probe, Ask]] = [
            ("monitor", self._record.monitor, probes.monitor),
            ("scale manager", self._record.scaling, probes.scaling),
        ]
        for name, probe, ask in asked:
            self._say(name)
            with self._witness.during(Phase.CAPABILITY, name):
                work = functools.partial(_probe, life.requests.uuid, ask, probe)
                self._hand.do(work, self._timeout)


def _probe(uuid: str, ask: Ask, probe: Probe) -> None:
    """Run a probe; what it cannot tell itself is that the driver's method raised."""

    def asked(context: Any, cluster: Any) -> None:
        try:
            ask(context, cluster, probe)
        except Exception as error:
            text = f"the driver raised {type(error).__name__}: {errors.reason(error)}"
            probe.problems.append((text, "Return None if there is none."))

    again(uuid, asked)


def _in_order(steps: list[Step]) -> list[Step]:
    """Return a step for each operation; those that were not come to say why."""
    played = {step.name: step for step in steps}
    hung = any(step.hung for step in steps)
    why = "the driver does not come back" if hung else "there is no cluster"
    return [played.get(name) or Step(name, STEPS[name][0], why_untried=why) for name in STEPS]


def _good(step: Step) -> bool:
    """Tell whether a step did what it should, or was refused without harm."""
    if step.refusal is not None:
        before, last = step.before, step.last
        return step.refusal.unsupported and bool(before and last and before.status == last.status)
    if step.hung or step.timed_out:
        return False
    return step.last is not None and states.complete(step.last.status)
