"""How each operation of the tour fared."""

from __future__ import annotations

from magnumlite.conductor import states
from magnumlite.sandbox.conformance.record import Record, Step
from magnumlite.sandbox.conformance.report import OperationResult, Verdict
from magnumlite.sandbox.conformance.requests import STEPS


def judge(record: Record) -> tuple[OperationResult, ...]:
    """Return a result for each step, in the order they were played."""
    return tuple(_result(step) for step in record.steps)


def _result(step: Step) -> OperationResult:
    verdict, ended = _ended(step)
    return OperationResult(step.name, verdict, ended, step.seconds, step.total, step.polls)


def _ended(step: Step) -> tuple[Verdict, str]:
    last = step.last
    if not step.tried:
        return Verdict.UNTRIED, step.why_untried
    if step.hung:
        return Verdict.FAIL, f"{step.hung} does not return"
    if step.refusal is not None:
        verdict = Verdict.UNSUPPORTED if step.refusal.unsupported else Verdict.FAIL
        return verdict, str(step.refusal)
    if last is None:
        return (Verdict.PASS if step.name == "delete" else Verdict.FAIL), "gone"
    if step.timed_out or states.in_progress(last.status):
        return Verdict.FAIL, f"still {last.status} after {step.total:.0f} s"
    moving = [name for name, status in last.nodegroups.items() if states.in_progress(status)]
    if moving:
        return Verdict.FAIL, f"{last.status}, but {', '.join(moving)} still in progress"
    prefix = STEPS[step.name][1]
    if prefix and last.status.partition("_")[0] not in (prefix, "ROLLBACK"):
        return Verdict.FAIL, f"{last.status}, not {prefix}_COMPLETE"
    if states.complete(last.status) and step.name != "delete":
        return Verdict.PASS, last.status
    return Verdict.FAIL, f"{last.status}: {last.reason}" if last.reason else last.status
