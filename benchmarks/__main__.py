"""Measure: python -m benchmarks [--only NAME,...] [--repeat N] [--conductor NAME] [--quick]."""

import argparse
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path

from rich.console import Console

from benchmarks import benches, environment, report
from benchmarks.benchmark import ALL, Benchmark
from benchmarks.environment import Subject
from benchmarks.results import Results, Run
from benchmarks.rig import Rig

RESULTS = Path(__file__).parent / "results"

console = Console(width=None if sys.stdout.isatty() else 160, highlight=False)


def main() -> int:
    """Measure what the command line says."""
    given = _arguments().parse_args()
    names = given.only.split(",") if given.only else list(ALL)
    if unknown := set(names) - set(ALL):
        _arguments().error(f"no such benchmark: {', '.join(unknown)}; there are {', '.join(ALL)}")
    chosen = [given.conductor] if given.conductor else list(environment.NAMES)
    name = "quick" if given.quick else "results"
    results = Results(given.results / f"{name}.json", given.quick)
    # So that servers and conductors are taken down when this is ended.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    if not given.report:
        subjects = [environment.subject(each) for each in chosen]
        with tempfile.TemporaryDirectory(prefix="magnumlite-bench-") as directory:
            Path(directory).chmod(0o711)
            with Rig(Path(directory), given.workers, given.quick) as rig:
                for each in names:
                    results.begin(each, given.workers)
                    _measure(rig, ALL[each], subjects, 1 if given.quick else given.repeat, results)
    console.print(report.table(results))
    (given.results / f"{name}.md").write_text(report.markdown(results))
    _draw(results, given.results / f"{name}.png")
    console.print(f"Written to {given.results}")
    return 0


def _draw(results: Results, path: Path) -> None:
    try:
        from benchmarks import plot
    except ModuleNotFoundError as missing:
        console.print(f"No plot: {missing} (pip install 'magnumlite[bench]')")
        return
    plot.draw(results, path)


def _measure(
    rig: Rig, benchmark: Benchmark, subjects: list[Subject], repeat: int, results: Results
) -> None:
    for turn in range(repeat):
        # Turn about, so that drift of the machine falls on both.
        for subject in subjects if turn % 2 == 0 else subjects[::-1]:
            begun = time.monotonic()
            run = _run(rig, benchmark, subject)
            results.add(benchmark.name, subject.name, run)
            told = ", ".join(
                f"{figure.title} {report.number(run[figure.key])}"
                for figure in benchmark.figures
                if figure.key in run
            )
            console.print(
                f"{benchmark.name} {turn + 1}/{repeat} {subject.name}"
                f" ({time.monotonic() - begun:.0f} s): {run.get('error', told)}"
            )


def _run(rig: Rig, benchmark: Benchmark, subject: Subject) -> Run:
    """Run a benchmark; one that fails is a result too: the others still have to be measured."""
    try:
        rig.fresh(subject)
        return benchmark.run(rig)
    except Exception as error:
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}"}
    finally:
        rig.end_conductors()


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=benches.__doc__)
    parser.add_argument("--only", help="names of benchmarks, with commas between")
    parser.add_argument("--conductor", choices=environment.NAMES, help="measure this one alone")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each (default 3)")
    parser.add_argument("--workers", type=int, default=2, help="[conductor]workers (default 2)")
    parser.add_argument("--quick", action="store_true", help="small and once: does it work?")
    parser.add_argument("--report", action="store_true", help="only show what was measured before")
    parser.add_argument("--results", type=Path, default=RESULTS, help="directory of the results")
    return parser


if __name__ == "__main__":
    sys.exit(main())
