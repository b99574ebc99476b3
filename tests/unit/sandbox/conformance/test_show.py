import io

import pytest
from rich.console import Console

from magnumlite.sandbox.conformance import show
from magnumlite.sandbox.conformance.report import (
    CheckResult,
    OperationResult,
    Report,
    Verdict,
    failure,
    remark,
)

REPORT = Report(
    driver="k8s_example_v1",
    class_name="magnum_example.driver.Driver",
    operations=(
        OperationResult("create", Verdict.PASS, "CREATE_COMPLETE", 0.014, 12.34, 5),
        OperationResult("upgrade", Verdict.UNSUPPORTED, "NotSupported: no"),
        OperationResult("delete", Verdict.UNTRIED, "there is no cluster"),
    ),
    checks=(
        CheckResult("statuses", "they end", Verdict.PASS),
        CheckResult(
            "saves",
            "they agree",
            Verdict.FAIL,
            (failure("it wrote " + "much " * 40, "Write less."), remark("it is slow", "Hurry.")),
        ),
    ),
    saves={"update_cluster_status": {"cluster": ["status"], "nodegroup": ["(row)", "status"]}},
    seconds=3.21,
)


def shown(*, terminal: bool) -> list[str]:
    written = io.StringIO()
    console = Console(
        file=written, width=100, force_terminal=terminal, color_system=None, highlight=False
    )
    show.show(console, REPORT)
    return [line.rstrip() for line in written.getvalue().splitlines()]


@pytest.mark.parametrize("terminal", [True, False])
def test_all_of_it_is_there(terminal: bool) -> None:
    lines = shown(terminal=terminal)
    text = "\n".join(lines)
    assert "driver k8s_example_v1  magnum_example.driver.Driver" in lines
    rows = {line.split("  ")[0]: line.split() for line in lines if line}
    assert rows["create"] == [
        *("create", "✓", "pass"),
        *("0.01", "s", "12.3", "s", "5", "CREATE_COMPLETE"),
    ]
    assert rows["delete"] == ["delete", "·", "not", "tried", "there", "is", "no", "cluster"]
    assert rows["saves"] == ["saves", "✗", "fail", "they", "agree"]
    assert "→ Write less." in text
    assert rows["update_cluster_status"] == ["update_cluster_status", "cluster", "status"]
    assert "nodegroup  (row), status" in text
    assert lines[-1] == (
        "2 passed, 1 failed, 1 not supported, 1 not tried in 3.2 s. Failed: saves."
    )


def test_on_a_terminal_lines_are_broken_and_indented() -> None:
    lines = shown(terminal=True)
    assert max(len(line) for line in lines) <= 100
    first = next(number for number, line in enumerate(lines) if "it wrote" in line)
    assert lines[first + 1].startswith(" " * 10 + "much")


def test_elsewhere_a_finding_is_one_line() -> None:
    found = [line for line in shown(terminal=False) if "it wrote" in line]
    assert len(found) == 1
    assert found[0].count("much") == 40


def test_the_machine_form_is_complete() -> None:
    told = REPORT.as_dict()
    assert (told["driver"], told["passed"], told["seconds"]) == ("k8s_example_v1", False, 3.21)
    assert told["operations"][0] == {
        "name": "create",
        "verdict": "pass",
        "ended": "CREATE_COMPLETE",
        "call_seconds": 0.014,
        "total_seconds": 12.34,
        "polls": 5,
    }
    assert told["checks"][1]["findings"][1] == {
        "verdict": "advice",
        "what": "it is slow",
        "advice": "Hurry.",
    }
