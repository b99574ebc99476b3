"""Do several clusters at once, each in a thread of its own, fare as one alone does?"""

from __future__ import annotations

from collections.abc import Iterator

from magnumlite.conductor import states
from magnumlite.sandbox.conformance import outcomes
from magnumlite.sandbox.conformance.record import Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark

QUESTION = "clusters that are worked on at the same time do not get in each other's way"

_ADVICE = "Keep nothing of a cluster in the class, the module or a global; pass it on instead."


def check(record: Record) -> list[Finding] | Verdict:
    """Compare the crowd with the cluster that was alone."""
    if not record.crowd:
        return Verdict.UNTRIED
    found = [*_mixed_up(record), *_raised(record), *_ended(record)]
    if record.crowd_stuck:
        found.append(
            failure(
                f"{record.crowd_stuck} threads did not come back",
                "Take locks in one order, and for no longer than a dictionary takes.",
            )
        )
    return [*found, *_shared(record)]


def _mixed_up(record: Record) -> Iterator[Finding]:
    alone = any(
        save.cluster_uuid != call.cluster_uuid
        for call in record.calls
        if call.phase is not Phase.CROWD
        for save in call.saves
    )
    for call in record.of(Phase.CROWD):
        for save in call.saves:
            if save.cluster_uuid != call.cluster_uuid and not alone:
                yield failure(
                    f"{call.method}, called for one cluster, wrote the {save.table} of another "
                    "that was polled at the same time",
                    _ADVICE,
                )


def _raised(record: Record) -> Iterator[Finding]:
    before = {
        (call.method, call.error.kind)
        for call in record.calls
        if call.error and call.phase is not Phase.CROWD
    }
    for call in record.of(Phase.CROWD):
        error = call.error
        if error and not error.overtaken and (call.method, error.kind) not in before:
            yield failure(f"{call.method} raised {error.kind} only beside others", _ADVICE)


def _ended(record: Record) -> Iterator[Finding]:
    alone = {result.name: result.verdict for result in outcomes.judge(record)}
    for step in record.crowd:
        if alone.get(step.name) is not Verdict.PASS:
            continue
        last = step.last
        if step.refusal is not None:
            yield failure(f"{step.name} beside others was refused: {step.refusal}", _ADVICE)
        elif step.timed_out and last is not None:
            yield failure(f"{step.name} beside others did not end: still {last.status}", _ADVICE)
        elif last is not None and states.failed(last.status):
            yield failure(f"{step.name} beside others ended in {last.status}", _ADVICE)


def _shared(record: Record) -> Iterator[Finding]:
    threads: dict[int, set[int]] = {}
    for call in record.of(Phase.CROWD):
        if call.is_poll:
            threads.setdefault(call.instance, set()).add(call.thread)
    if any(len(using) > 1 for using in threads.values()):
        yield remark(
            "one object serves all threads",
            "Let each thread have its own; most clients are not made for several.",
        )
