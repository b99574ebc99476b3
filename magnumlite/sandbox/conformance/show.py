"""The report for people: tables in colour on a terminal, plain columns everywhere else."""

from __future__ import annotations

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from magnumlite.sandbox.conformance.report import Report, Verdict

_SIGNS = {
    Verdict.PASS: ("✓", "green"),
    Verdict.ADVICE: ("!", "yellow"),
    Verdict.FAIL: ("✗", "bold red"),
    Verdict.UNSUPPORTED: ("-", "cyan"),
    Verdict.UNTRIED: ("·", "dim"),
}

_COUNTED = {Verdict.PASS: "passed", Verdict.ADVICE: "with advice", Verdict.FAIL: "failed"}


def show(console: Console, report: Report) -> None:
    """Print operations, checks with advice, what is saved, and the sum."""
    console.print()
    console.print(
        Text.assemble(("driver ", "dim"), (report.driver, "bold"), f"  {report.class_name}"),
        soft_wrap=True,
    )
    console.print()
    console.print(_operations(report))
    console.print()
    _checks(console, report)
    if report.saves:
        console.print()
        console.print(_saves(report))
    console.print()
    console.print(_sum(report))


def _table(*columns: str) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    for column in columns:
        table.add_column(column, no_wrap=True)
    return table


def _sign(verdict: Verdict) -> Text:
    sign, style = _SIGNS[verdict]
    return Text(f"{sign} {verdict.value}", style)


def _operations(report: Report) -> Table:
    table = _table("operation", "")
    for column in ("call", "to the end", "polls"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("ended", overflow="fold")
    for result in report.operations:
        style = _SIGNS[result.verdict][1] if result.verdict is not Verdict.PASS else ""
        tried = result.verdict is not Verdict.UNTRIED
        table.add_row(
            result.name,
            _sign(result.verdict),
            f"{result.call:.2f} s" if tried else "",
            f"{result.total:.1f} s" if result.polls else "",
            str(result.polls) if result.polls else "",
            Text(result.ended, style),
        )
    return table


def _checks(console: Console, report: Report) -> None:
    width = max(len(result.name) for result in report.checks)
    widest = max(len(_sign(result.verdict)) for result in report.checks)
    console.print(Text(f"{'check':<{width}}", "dim"))
    for result in report.checks:
        sign = _sign(result.verdict)
        sign.pad_right(widest - len(sign))
        line = Text.assemble(f"{result.name:<{width}}  ", sign, "  ", (result.question, "dim"))
        console.print(line, soft_wrap=not console.is_terminal)
        for finding in result.findings:
            style = _SIGNS[finding.verdict][1]
            told = Text.assemble((finding.what, style), "\n", ("→ ", "dim"), finding.advice)
            if console.is_terminal:
                console.print(Padding(told, (0, 2, 0, width + 2)))
            else:
                console.print(Text(" " * (width + 2)) + Text(finding.what), soft_wrap=True)
                console.print(Text(" " * (width + 2) + "→ " + finding.advice), soft_wrap=True)


def _saves(report: Report) -> Table:
    table = _table("it saves by itself", "table")
    table.add_column("fields", overflow="fold")
    for method, tables in report.saves.items():
        first = method
        for name, fields in tables.items():
            table.add_row(first, name, ", ".join(fields))
            first = ""
    return table


def _sum(report: Report) -> Text:
    counts = report.counts()
    parts = [
        (f"{count} {_COUNTED.get(verdict, verdict.value)}", _SIGNS[verdict][1])
        for verdict, count in counts.items()
        if count
    ]
    line = Text()
    for number, (text, style) in enumerate(parts):
        line.append(", " if number else "")
        line.append(text, style)
    line.append(f" in {report.seconds:.1f} s. ")
    if report.passed:
        line.append("Nothing failed.", "bold green")
    else:
        line.append(f"Failed: {', '.join(report.failed())}.", "bold red")
    return line
