"""The table: every figure of every benchmark, both conductors, and what was to be reached."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.table import Table

from benchmarks.benchmark import ALL, Benchmark
from benchmarks.figures import Figure, Summary, Value, numbers, ratio
from benchmarks.results import Results

#: Percent of the machine that others used, above which a run says little about times.
NOISY = 15

HEAD = ("benchmark", "magnum 23.0.0", "magnumlite", "ratio", "to reach", "")


@dataclass(frozen=True)
class Line:
    """A figure with what was measured of it."""

    figure: Figure
    magnum: Summary | None
    lite: Summary | None
    judged: bool = True

    @property
    def ratio(self) -> Value:
        """Magnumlite's median in magnum's; None where there is none."""
        if not self.figure.compared or self.lite is None or self.magnum is None:
            return None
        return ratio(self.lite.median, self.magnum.median)

    @property
    def reached(self) -> bool | None:
        """Whether the target was; None when there is none, or nothing to compare with."""
        if not self.judged or self.figure.target is None or self.lite is None:
            return None
        return self.figure.target.reached(self.lite.median, self.ratio)

    def cells(self) -> tuple[str, ...]:
        """Return the texts of the table's columns."""
        unit = f", {self.figure.unit}" if self.figure.unit else ""
        verdict = {None: "", True: "reached", False: "not reached"}[self.reached]
        return (
            f"{self.figure.title}{unit}",
            spread(self.magnum),
            spread(self.lite),
            "" if self.ratio is None else number(self.ratio),
            str(self.figure.target or ""),
            verdict,
        )


def lines(results: Results, benchmark: Benchmark) -> Iterator[Line]:
    """Return the lines of a benchmark."""
    for figure in benchmark.figures:
        summaries = [
            numbers(results.runs(benchmark.name, name), figure.key)
            for name in ("magnum", "magnumlite")
        ]
        if any(summaries):
            yield Line(figure, *summaries, judged=not results.quick)


def noise(results: Results, benchmark: Benchmark) -> Line:
    """Return how much of the machine others used meanwhile."""
    told = Figure("others_pct", "used by others meanwhile", "% of CPU", compared=False)
    runs = [results.runs(benchmark.name, name) for name in ("magnum", "magnumlite")]
    return Line(told, *(numbers(each, told.key) for each in runs))


def measured(results: Results) -> list[Benchmark]:
    """Return the benchmarks there are results of, in their order."""
    return [each for each in ALL.values() if each.name in results.benchmarks()]


def table(results: Results) -> Table:
    """Return the table for a terminal."""
    shown = Table(*HEAD, title="; ".join(results.machines()), title_justify="left")
    for benchmark in measured(results):
        shown.add_section()
        shown.add_row(f"[bold]{benchmark.title}")
        for line in lines(results, benchmark):
            style = {None: "", True: "green", False: "red"}[line.reached]
            shown.add_row(*line.cells()[:-1], f"[{style}]{line.cells()[-1]}" if style else "")
        shown.add_row(*noise(results, benchmark).cells(), style="dim")
        for text in failed(results, benchmark):
            shown.add_row(f"[red]{text}")
    return shown


def markdown(results: Results) -> str:
    """Return the table for a document."""
    text = [*results.machines(), "", "Median (least to most) of the runs.", ""]
    text += [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    for benchmark in measured(results):
        text.append(f"| **{benchmark.title}** |" + " |" * (len(HEAD) - 1))
        rows = [*lines(results, benchmark), noise(results, benchmark)]
        text += [f"| {' | '.join(line.cells())} |" for line in rows]
        text += [f"| {each} |" + " |" * (len(HEAD) - 1) for each in failed(results, benchmark)]
    return "\n".join(text) + "\n"


def failed(results: Results, benchmark: Benchmark) -> list[str]:
    """Return what runs failed of."""
    return [
        f"a run of {name} failed: {reason}"
        for name in ("magnum", "magnumlite")
        for reason in results.failures(benchmark.name, name)
    ]


def spread(summary: Summary | None) -> str:
    """Return a median with its range; a dash for what did not happen."""
    if summary is None:
        return ""
    if summary.median is None:
        return "-" if summary.most is None else f"- (to {number(summary.most)})"
    if summary.least == summary.most:
        return number(summary.median)
    return f"{number(summary.median)} ({number(summary.least)} to {number(summary.most)})"


def number(value: Value) -> str:
    """Return a number with as many digits as it deserves."""
    if value is None:
        return "-"
    if value == int(value) or abs(value) >= 100:
        return f"{value:.0f}"
    return f"{value:.3g}"
