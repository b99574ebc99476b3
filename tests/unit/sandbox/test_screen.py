import io

from rich.console import Console

from magnumlite.sandbox.screen import Lines
from tests.unit.sandbox.samples import cluster, event, outcome


def _lines() -> tuple[Lines, io.StringIO]:
    written = io.StringIO()
    return Lines(Console(file=written, highlight=False)), written


def test_each_new_state_is_one_line() -> None:
    lines, written = _lines()

    lines.clusters([cluster("a", "CREATE_IN_PROGRESS")])
    lines.clusters([cluster("a", "CREATE_IN_PROGRESS")])
    first = written.getvalue().splitlines()
    assert [line.split()[2:5] for line in first] == [
        ["cluster", "a", "CREATE_IN_PROGRESS"],
        ["nodegroup", "a/default-master", "1"],
        ["nodegroup", "a/default-worker", "2"],
    ]

    lines.clusters([cluster("a", "CREATE_FAILED", "no quota")])
    assert "CREATE_FAILED  sandbox-v1  no quota" in written.getvalue()

    lines.clusters([])
    gone = [line for line in written.getvalue().splitlines() if line.endswith("gone")]
    assert len(gone) == 3


def test_events_and_outcomes_are_lines() -> None:
    lines, written = _lines()

    lines.event(event("a", "pending"))
    lines.ended(outcome("a", "create", "CREATE_FAILED", "CREATE_COMPLETE"))

    sent, ended = written.getvalue().splitlines()
    assert sent.endswith("event      a  magnum.cluster.create  pending")
    assert ended.endswith("a  create: CREATE_FAILED, should be CREATE_COMPLETE, 1.0 s")
