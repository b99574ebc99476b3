"""Does each operation come to its own end, and do the nodegroups?"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from magnumlite.conductor import states
from magnumlite.sandbox.conformance.record import Phase, Record, Sight, Step
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure
from magnumlite.sandbox.conformance.requests import STEPS

QUESTION = "statuses are legal and go from in progress to final, of nodegroups too"

#: The error of a status field that is given what it does not know.
ILLEGAL = re.compile(r"Field value (.+) is invalid")


def check(record: Record) -> list[Finding] | Verdict:
    """Look at the states that the database showed after each poll."""
    tried = [step for step in record.steps if step.sights]
    if not tried:
        return Verdict.UNTRIED
    illegal = list(_illegal(record))
    if illegal:
        return illegal
    found = [finding for step in tried for finding in _step(step, record)]
    return [*found, *_nodegroups_in_progress(tried)]


def _illegal(record: Record) -> Iterator[Finding]:
    for call in record.calls:
        told = ILLEGAL.fullmatch(call.error.text) if call.error else None
        if told and call.error and "ValueError" in call.error.kinds:
            yield failure(
                f"{call.method} set a status or another value that there is not: {told[1]}",
                "Use the names of magnum.objects.fields.ClusterStatus.",
            )


def _step(step: Step, record: Record) -> Iterator[Finding]:
    yield from _unfinished(step, record)
    yield from _wrong_end(step)
    yield from _backwards(step)


def _unfinished(step: Step, record: Record) -> Iterator[Finding]:
    last = step.last
    if last is None or step.refusal is not None or step.hung:
        return
    if step.timed_out and last.status == "DELETE_COMPLETE":
        return
    if step.timed_out and not record.polls_itself:
        yield failure(
            "it has no update_cluster_status, so that nothing ever finishes",
            "Write one: it sets the final status of cluster and nodegroups and saves them.",
        )
    elif step.timed_out and not _poll_failed(step, record):
        yield failure(
            f"{step.name}: the cluster is still {last.status} after {step.polls} polls",
            "Set a final status in update_cluster_status once the work has ended.",
        )


def _nodegroups_in_progress(steps: list[Step]) -> Iterator[Finding]:
    left: dict[str, list[str]] = {}
    for step in steps:
        last = step.last
        if last is None or step.refusal is not None or states.in_progress(last.status):
            continue
        for name, status in last.nodegroups.items():
            if states.in_progress(status):
                left.setdefault(name, []).append(step.name)
    for name, after in left.items():
        yield failure(
            f"nodegroup {name} was still in progress when the cluster was final, after "
            f"{', '.join(after)}",
            "Set the final status of each nodegroup and save it before the cluster's.",
        )


def _wrong_end(step: Step) -> Iterator[Finding]:
    last, begun = step.last, next(iter(step.sights), None)
    prefix = STEPS[step.name][1]
    if last is None or begun is None or step.refusal is not None or not prefix:
        return
    allowed = {prefix, "ROLLBACK"} if prefix == "UPDATE" else {prefix}
    if not states.in_progress(last.status) and last.status.partition("_")[0] not in allowed:
        yield failure(
            f"{step.name} ended in {last.status}",
            f"End what shows {prefix}_IN_PROGRESS in {prefix}_COMPLETE or {prefix}_FAILED.",
        )
    for name, status in last.nodegroups.items():
        before = begun.nodegroups.get(name, "")
        of, now = before.partition("_")[0], status.partition("_")[0]
        if states.in_progress(before) and not states.in_progress(status) and of != now:
            yield failure(
                f"{step.name}: nodegroup {name} went from {before} to {status}",
                f"End it in {of}_COMPLETE or {of}_FAILED.",
            )


def _backwards(step: Step) -> Iterator[Finding]:
    seen: list[Sight] = [sight for sight in step.sights if sight is not None]
    for earlier, later in itertools.pairwise(seen):
        if states.in_progress(later.status) and not states.in_progress(earlier.status):
            yield failure(
                f"{step.name}: a poll put {earlier.status} back to {later.status}",
                "Leave a final status until the conductor begins another operation.",
            )


def _poll_failed(step: Step, record: Record) -> bool:
    polls = [call for call in record.of(Phase.POLL) if call.step == step.name and call.is_poll]
    return bool(polls) and polls[-1].error is not None
