"""The live screen: clusters and nodegroups, the steps that ended, the last events."""

from __future__ import annotations

import time
from collections import deque

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from magnumlite.conductor import states
from magnumlite.sandbox.ledger import Event
from magnumlite.sandbox.scenario import STEPS, Outcome
from magnumlite.sandbox.screen import style
from magnumlite.sandbox.view import ClusterView, NodeGroupView

_EVENTS = 10  # the last ones are shown
_OTHER_LINES = 9  # all but clusters and events


class LiveScreen:
    """Draws itself several times a second until it is closed.

    Clusters that do not fit are counted; those in progress or failed come first.
    """

    def __init__(self, console: Console, title: str) -> None:
        """Take over the terminal below the cursor."""
        self._console = console
        self._title = title
        self._start = time.monotonic()
        self._clusters: list[ClusterView] = []
        self._events: deque[tuple[float, Event]] = deque(maxlen=_EVENTS)
        self._outcomes: list[Outcome] = []
        self._said = ""
        self._live = Live(
            get_renderable=self._render,
            console=console,
            refresh_per_second=8,
            vertical_overflow="crop",
        )
        self._live.start()

    def say(self, text: str) -> None:
        """Show the text in the last line."""
        self._said = text

    def clusters(self, clusters: list[ClusterView]) -> None:
        """Show these clusters."""
        self._clusters = clusters

    def event(self, event: Event) -> None:
        """Show the event below the others."""
        self._events.append((time.monotonic() - self._start, event))

    def ended(self, outcome: Outcome) -> None:
        """Count the step."""
        self._outcomes.append(outcome)

    def close(self) -> None:
        """Draw once more and leave the picture where it is."""
        self._said = ""
        self._live.stop()

    def _render(self) -> RenderableType:
        elapsed = time.monotonic() - self._start
        head = Text.assemble(
            ("magnumlite sandbox", "bold"), f"  {self._title}  ", (f"{elapsed:5.1f} s", "cyan")
        )
        room = max(4, self._console.height - _EVENTS - _OTHER_LINES)
        return Group(
            head,
            Text(),
            self._cluster_table(room),
            Text(),
            self._step_line(),
            Text(),
            self._event_table(),
            Text(self._said, style="dim"),
        )

    def _cluster_table(self, room: int) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), expand=True, header_style="dim")
        for column in ("cluster", "nodes", "status", "template", "version", "health"):
            table.add_column(column, no_wrap=True)
        table.add_column("reason", no_wrap=True, ratio=1)
        left = room
        clusters = sorted(self._clusters, key=lambda cluster: (_rests(cluster), cluster.name))
        while clusters and left > len(clusters[0].nodegroups):
            cluster = clusters.pop(0)
            left -= 1 + len(cluster.nodegroups)
            table.add_row(*_cluster_row(cluster))
            for group in cluster.nodegroups:
                table.add_row(*_nodegroup_row(group))
        if clusters:
            table.add_row(Text(f"and {len(clusters)} more", style="dim"))
        if not self._clusters:
            table.add_row(Text("none", style="dim"))
        return table

    def _step_line(self) -> Text:
        line = Text()
        for step in STEPS:
            ended = [outcome for outcome in self._outcomes if outcome.step == step]
            wrong = sum(not outcome.as_it_should for outcome in ended)
            if not ended:
                line.append(f"○ {step}   ", style="dim")
                continue
            slowest = max(outcome.seconds for outcome in ended)
            many = f" {len(ended)} x" if len(ended) > 1 else ""
            line.append("✗ " if wrong else "✓ ", style="bold red" if wrong else "green")
            line.append(f"{step}{many} {slowest:.1f} s   ")
        return line

    def _event_table(self) -> Table:
        table = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
        for moment, event in list(self._events):
            table.add_row(
                Text(f"{moment:6.1f} s", style="cyan"),
                event.event_type,
                Text(event.outcome, style=style(event.outcome)),
                event.name or event.uuid,
                Text(event.status, style=style(event.status)),
            )
        return table


def _rests(cluster: ClusterView) -> bool:
    return not (states.in_progress(cluster.status) or states.failed(cluster.status))


def _cluster_row(cluster: ClusterView) -> list[str | Text]:
    return [
        Text(cluster.name, style="bold"),
        str(cluster.node_count),
        Text(cluster.status, style=style(cluster.status)),
        cluster.template,
        cluster.version,
        Text(cluster.health, style=style(cluster.health)),
        cluster.reason,
    ]


def _nodegroup_row(group: NodeGroupView) -> list[str | Text]:
    return [
        Text(f"  {group.name}", style="dim"),
        str(group.node_count),
        Text(group.status, style=style(group.status)),
        "",
        "",
        "",
        group.reason,
    ]
