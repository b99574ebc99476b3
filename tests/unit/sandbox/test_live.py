import io
from collections.abc import Iterator

import pytest
from rich.console import Console

from magnumlite.sandbox.live import LiveScreen
from tests.unit.sandbox.samples import cluster, event, outcome

HEIGHT = 30


class Terminal:
    """A screen that can be looked at."""

    def __init__(self) -> None:
        self.console = Console(
            file=io.StringIO(), width=120, height=HEIGHT, force_terminal=True, color_system=None
        )
        self.screen = LiveScreen(self.console, "driver x")

    def look(self) -> list[str]:
        picture = io.StringIO()
        Console(file=picture, width=self.console.width).print(self.screen._render())
        return picture.getvalue().splitlines()


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    terminal = Terminal()
    yield terminal
    terminal.screen.close()


def test_clusters_steps_and_events_are_shown(terminal: Terminal) -> None:
    terminal.screen.clusters([cluster("a", "CREATE_IN_PROGRESS")])
    terminal.screen.event(event("a", "pending"))
    terminal.screen.ended(outcome("a", "create", "CREATE_COMPLETE", "CREATE_COMPLETE", 1.5))
    terminal.screen.ended(outcome("a", "resize", "UPDATE_FAILED", "UPDATE_COMPLETE", 2.5))

    picture = "\n".join(terminal.look())

    assert "driver x" in picture
    assert "CREATE_IN_PROGRESS" in picture
    assert "default-worker" in picture
    assert "magnum.cluster.create  pending" in picture
    assert "✓ create 1.5 s" in picture
    assert "✗ resize 2.5 s" in picture
    assert "○ delete" in picture


def test_what_does_not_fit_is_counted_and_what_stirs_comes_first(terminal: Terminal) -> None:
    quiet = [cluster(f"quiet-{n:02}") for n in range(40)]
    terminal.screen.clusters([*quiet, cluster("failed", "CREATE_FAILED")])
    for n in range(40):
        terminal.screen.event(event(f"quiet-{n:02}", "success"))

    lines = terminal.look()

    assert len(lines) <= HEIGHT
    names = [line.split()[0] for line in lines if line.startswith(("quiet", "failed"))]
    assert names[0] == "failed"
    assert f"and {41 - len(names)} more" in "\n".join(lines)
