"""The checks: each asks the record one question.

A check is a module with a QUESTION and a function ``check(record)`` that returns findings, or
UNTRIED or UNSUPPORTED when there is nothing to judge.
"""

from __future__ import annotations

from types import ModuleType

from magnumlite.sandbox.conformance.checks import (
    addresses,
    durations,
    errors,
    fences,
    idempotence,
    interface,
    labels,
    leftovers,
    memory,
    monitor,
    neighbours,
    reasons,
    saves,
    scaling,
    statuses,
    threads,
)
from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import CheckResult, Verdict

_CHECKS: tuple[ModuleType, ...] = (
    interface,
    statuses,
    errors,
    idempotence,
    saves,
    fences,
    threads,
    neighbours,
    labels,
    addresses,
    reasons,
    durations,
    leftovers,
    memory,
    monitor,
    scaling,
)


def judge(record: Record) -> tuple[CheckResult, ...]:
    """Return the answer of each check."""
    return tuple(_ask(module, record) for module in _CHECKS)


def _ask(module: ModuleType, record: Record) -> CheckResult:
    name = module.__name__.rpartition(".")[2]
    answer = module.check(record)
    if isinstance(answer, Verdict):
        return CheckResult(name, module.QUESTION, answer)
    findings = tuple(dict.fromkeys(answer))
    verdict = Verdict.PASS
    if findings:
        failed = any(finding.verdict is Verdict.FAIL for finding in findings)
        verdict = Verdict.FAIL if failed else Verdict.ADVICE
    return CheckResult(name, module.QUESTION, verdict, findings)
