import io

from rich.console import Console

from magnumlite.sandbox import summary
from tests.unit.sandbox.samples import outcome


def _shown(*outcomes: object) -> str:
    written = io.StringIO()
    summary.show(Console(file=written, width=120), outcomes)  # type: ignore[arg-type]
    return written.getvalue()


def test_times_of_a_step_over_all_clusters() -> None:
    shown = _shown(
        *(
            outcome(f"c{n}", "create", "CREATE_COMPLETE", "CREATE_COMPLETE", seconds)
            for n, seconds in enumerate((1.0, 2.0, 4.5))
        )
    )
    line = next(line for line in shown.splitlines() if line.startswith("create"))
    assert line.split()[:9] == [
        "create", "CREATE_COMPLETE", "3", "1.0", "s", "2.0", "s", "4.5", "s",
    ]  # fmt: skip
    assert "not as it should" not in shown


def test_what_went_wrong_is_told_with_its_cause() -> None:
    shown = _shown(
        outcome("good", "create", "CREATE_COMPLETE", "CREATE_COMPLETE"),
        outcome("bad", "create", "CREATE_FAILED", "CREATE_COMPLETE"),
    )
    assert "bad create: CREATE_FAILED, should be CREATE_COMPLETE. the cause" in shown
    assert "good create" not in shown
