"""What a person sees of a play, and the plain lines for what is no terminal."""

from __future__ import annotations

import threading
import time
from typing import Protocol

from rich.console import Console

from magnumlite.sandbox.ledger import Event
from magnumlite.sandbox.scenario import Outcome
from magnumlite.sandbox.view import ClusterView


class Screen(Protocol):
    """Shows a play as it goes on; every method may be called from any thread."""

    def say(self, text: str) -> None:
        """Show what goes on now."""

    def clusters(self, clusters: list[ClusterView]) -> None:
        """Show what the database shows."""

    def event(self, event: Event) -> None:
        """Show an event."""

    def ended(self, outcome: Outcome) -> None:
        """Show how a step ended."""

    def close(self) -> None:
        """Leave the terminal to what comes next."""


def style(status: str) -> str:
    """Return the colour of a status or outcome."""
    if status.endswith("IN_PROGRESS") or status == "pending":
        return "yellow"
    if "FAILED" in status or status in ("failure", "UNHEALTHY"):
        return "bold red"
    if status.endswith("COMPLETE") or status in ("success", "HEALTHY", "gone"):
        return "green"
    return "default"


class Lines:
    """A line for each thing that happens."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._start = time.monotonic()
        self._seen: dict[str, str] = {}
        self._lock = threading.Lock()

    def say(self, text: str) -> None:
        """Write the text."""
        self._write("sandbox", text)

    def clusters(self, clusters: list[ClusterView]) -> None:
        """Write each state that is new."""
        now: dict[str, str] = {}
        for cluster in clusters:
            now[f"cluster {cluster.name}"] = "  ".join(filter(None, _facts(cluster)))
            for group in cluster.nodegroups:
                now[f"nodegroup {cluster.name}/{group.name}"] = (
                    f"{group.node_count} node{'s' * (group.node_count != 1)}  {group.status}"
                )
        for key, state in now.items():
            if self._seen.get(key) != state:
                self._write(*key.split(maxsplit=1), state)
        for key in sorted(self._seen.keys() - now.keys()):
            self._write(*key.split(maxsplit=1), "gone")
        self._seen = now

    def event(self, event: Event) -> None:
        """Write the event."""
        self._write("event", event.name or event.uuid, f"{event.event_type}  {event.outcome}")

    def ended(self, outcome: Outcome) -> None:
        """Write the outcome."""
        verdict = "as it should" if outcome.as_it_should else f"should be {outcome.expected}"
        self._write(
            "step",
            outcome.cluster,
            f"{outcome.step}: {outcome.ended}, {verdict}, {outcome.seconds:.1f} s",
        )

    def close(self) -> None:
        """Do nothing: lines stand as they are."""

    def _write(self, *parts: str) -> None:
        kind, *rest = parts
        with self._lock:
            elapsed = time.monotonic() - self._start
            self._console.print(f"{elapsed:6.1f} s  {kind:<9}  {'  '.join(rest)}", soft_wrap=True)


def _facts(cluster: ClusterView) -> list[str]:
    return [cluster.status, cluster.template, cluster.version, cluster.health, cluster.reason]
