"""What of a benchmark's numbers matters, and what was to be reached."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

#: Stands for "it did not happen", as a benchmark returns it.
Value = float | int | None


@dataclass(frozen=True)
class Summary:
    """A number over the repeats; `median` is None if in one of them it did not happen."""

    median: Value
    least: Value
    most: Value

    @classmethod
    def of(cls, values: Sequence[Value]) -> Summary:
        """Sum up at least one value."""
        told = [value for value in values if value is not None]
        if len(told) < len(values) or not told:
            return cls(None, min(told, default=None), max(told, default=None))
        return cls(statistics.median(told), min(told), max(told))


@dataclass(frozen=True)
class Target:
    """A bound on magnumlite's median, or on its ratio to magnum's if `relative`."""

    low: float | None = None
    high: float | None = None
    relative: bool = False

    def reached(self, lite: Value, ratio: Value) -> bool | None:
        """Tell whether it is; None when there is nothing to compare with."""
        value = ratio if self.relative else lite
        if value is None:
            return None if self.relative and lite is not None else False
        return (self.low is None or value >= self.low) and (self.high is None or value <= self.high)

    def __str__(self) -> str:
        times = "x" if self.relative else ""
        if self.low is None:
            return f"<= {self.high:g}{times}"
        if self.high is None:
            return f">= {self.low:g}{times}"
        return f"{self.low:g}" if self.low == self.high else f"{self.low:g} to {self.high:g}"


@dataclass(frozen=True)
class Figure:
    """One number of a benchmark that goes into the table.

    compared: magnumlite's is also told in magnum's.
    """

    key: str
    title: str
    unit: str = ""
    target: Target | None = None
    more_is_better: bool = False
    compared: bool = True


def at_most(high: float) -> Target:
    """Magnumlite's median is at most that."""
    return Target(high=high)


def exactly(value: float) -> Target:
    """Magnumlite's median is that."""
    return Target(value, value)


def times_at_most(high: float) -> Target:
    """Magnumlite's median is at most that many times magnum's."""
    return Target(high=high, relative=True)


def times_at_least(low: float) -> Target:
    """Magnumlite's median is at least that many times magnum's."""
    return Target(low=low, relative=True)


def ratio(lite: Value, magnum: Value) -> Value:
    """Return magnumlite's median in magnum's; None where that makes no sense."""
    return lite / magnum if lite is not None and magnum else None


def numbers(runs: Sequence[dict[str, Any]], key: str) -> Summary | None:
    """Sum up a key over runs; None if none of them has it (a run that failed has nothing)."""
    values = [run[key] for run in runs if key in run]
    return Summary.of(values) if values else None
