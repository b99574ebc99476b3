"""The table of results."""

from pathlib import Path

import pytest

from benchmarks import benches, report
from benchmarks.benchmark import ALL
from benchmarks.results import Results


@pytest.fixture
def results(tmp_path: Path) -> Results:
    kept = Results(tmp_path / "results.json", quick=False)
    kept.begin("ping", workers=2)
    for magnum, lite in ((400, 900), (500, 1000), (600, 1100)):
        kept.add("ping", "magnum", {"calls_s": magnum, "others_pct": 1})
        kept.add("ping", "magnumlite", {"calls_s": lite, "others_pct": 2.5})
    return kept


def test_every_module_enlists_its_benchmarks() -> None:
    assert len(ALL) == 14
    assert set(benches.__all__) == {run.run.__module__.rpartition(".")[2] for run in ALL.values()}
    for each in ALL.values():
        keys = [figure.key for figure in each.figures]
        assert keys
        assert len(set(keys)) == len(keys)


def test_a_line_has_both_medians_their_ranges_the_ratio_and_a_verdict(results: Results) -> None:
    line, *_ = report.lines(results, ALL["ping"])
    assert line.cells() == (
        "calls a second, /s",
        "500 (400 to 600)",
        "1000 (900 to 1100)",
        "2",
        ">= 1.5x",
        "reached",
    )


def test_the_document_tells_machine_noise_and_what_failed(results: Results) -> None:
    results.add("ping", "magnum", {"error": "TimeoutError: no reply"})
    text = report.markdown(results)
    assert "cores" in text
    assert "| used by others meanwhile, % of CPU | 1 | 2.5 |  |  |  |" in text
    assert "a run of magnum failed: TimeoutError: no reply" in text
    assert "500 (400 to 600)" in text


def test_nothing_of_the_machine_that_names_it(results: Results) -> None:
    import platform

    (told,) = results.machines()
    assert platform.node() not in told.split()
    assert str(Path.home()) not in told


def test_results_are_kept_and_those_of_other_benchmarks_too(
    results: Results, tmp_path: Path
) -> None:
    again = Results(tmp_path / "results.json", quick=False)
    again.begin("get", workers=2)
    again.add("get", "magnum", {"cpu_ms_call": 10})
    assert again.benchmarks() == ["ping", "get"]
    again.begin("ping", workers=2)
    assert again.runs("ping", "magnum") == []


def test_quick_runs_are_not_judged(tmp_path: Path) -> None:
    quick = Results(tmp_path / "quick.json", quick=True)
    quick.begin("ping", workers=2)
    quick.add("ping", "magnum", {"calls_s": 1})
    quick.add("ping", "magnumlite", {"calls_s": 1})
    (line,) = report.lines(quick, ALL["ping"])
    assert line.reached is None


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "-"), (0, "0"), (3, "3"), (3.14159, "3.14"), (0.0456, "0.0456"), (1234.5, "1234")],
)
def test_numbers(value: float | None, text: str) -> None:
    assert report.number(value) == text
