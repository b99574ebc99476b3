"""What is left on the screen after a play: how long each step took, and what went wrong."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from magnumlite.sandbox.scenario import STEPS, Outcome


def show(console: Console, outcomes: Sequence[Outcome]) -> None:
    """Print a line for each step, then each outcome that was not as it should."""
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="bold")
    for column in ("step", "ended", "clusters"):
        table.add_column(column, no_wrap=True)
    for column in ("fastest", "median", "slowest"):
        table.add_column(column, justify="right", no_wrap=True)
    table.add_column("")
    for step in STEPS:
        for ended in dict.fromkeys(o.ended for o in outcomes if o.step == step):
            same = [o for o in outcomes if (o.step, o.ended) == (step, ended)]
            wrong = [o for o in same if not o.as_it_should]
            seconds = [o.seconds for o in same]
            table.add_row(
                step,
                ended,
                str(len(same)),
                f"{min(seconds):.1f} s",
                f"{statistics.median(seconds):.1f} s",
                f"{max(seconds):.1f} s",
                Text("not as it should", "bold red") if wrong else Text("as it should", "green"),
            )
    console.print()
    console.print(table)
    for outcome in outcomes:
        if not outcome.as_it_should:
            console.print(
                f"{outcome.cluster} {outcome.step}: {outcome.ended}, "
                f"should be {outcome.expected}. {outcome.reason}",
                style="red",
                soft_wrap=True,
            )
