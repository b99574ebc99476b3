"""Verdicts with advice, for people and for machines."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any


class Verdict(enum.StrEnum):
    """How something fared."""

    PASS = "pass"  # noqa: S105 - not a password
    ADVICE = "advice"
    FAIL = "fail"
    UNSUPPORTED = "not supported"
    UNTRIED = "not tried"


@dataclass(frozen=True)
class Finding:
    """What was seen, and what to do about it, in a sentence each."""

    verdict: Verdict  # FAIL or ADVICE
    what: str
    advice: str


def failure(what: str, advice: str) -> Finding:
    """Return a finding that makes a check fail."""
    return Finding(Verdict.FAIL, what, advice)


def remark(what: str, advice: str) -> Finding:
    """Return a finding that only advises."""
    return Finding(Verdict.ADVICE, what, advice)


@dataclass(frozen=True)
class CheckResult:
    """The answer to one question."""

    name: str
    question: str
    verdict: Verdict
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True)
class OperationResult:
    """How one operation fared; times in seconds."""

    name: str
    verdict: Verdict
    ended: str
    call: float = 0.0
    total: float = 0.0
    polls: int = 0


@dataclass(frozen=True)
class Report:
    """All of it."""

    driver: str
    class_name: str
    operations: tuple[OperationResult, ...]
    checks: tuple[CheckResult, ...]
    #: What the driver saves by itself: method to table to fields.
    saves: dict[str, dict[str, list[str]]] = field(default_factory=dict)
    seconds: float = 0.0

    @property
    def passed(self) -> bool:
        """Tell whether nothing failed."""
        return not self.failed()

    def failed(self) -> list[str]:
        """Return the names of operations and checks that failed."""
        return [r.name for r in self._all() if r.verdict is Verdict.FAIL]

    def counts(self) -> dict[Verdict, int]:
        """Return how many operations and checks fared in which way."""
        found = dict.fromkeys(Verdict, 0)
        for result in self._all():
            found[result.verdict] += 1
        return found

    def as_dict(self) -> dict[str, Any]:
        """Return it in the form that --json prints."""
        return {
            "driver": self.driver,
            "class": self.class_name,
            "passed": self.passed,
            "seconds": round(self.seconds, 3),
            "operations": [
                {
                    "name": result.name,
                    "verdict": result.verdict.value,
                    "ended": result.ended,
                    "call_seconds": round(result.call, 3),
                    "total_seconds": round(result.total, 3),
                    "polls": result.polls,
                }
                for result in self.operations
            ],
            "checks": [
                {
                    "name": result.name,
                    "question": result.question,
                    "verdict": result.verdict.value,
                    "findings": [
                        {
                            "verdict": finding.verdict.value,
                            "what": finding.what,
                            "advice": finding.advice,
                        }
                        for finding in result.findings
                    ],
                }
                for result in self.checks
            ],
            "saves": self.saves,
        }

    def _all(self) -> Iterable[CheckResult | OperationResult]:
        return (*self.operations, *self.checks)
