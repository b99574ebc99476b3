"""The figures as a picture."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure as Picture

from benchmarks import report
from benchmarks.figures import Target
from benchmarks.results import Results

REACHED, MISSED, PLAIN, MAGNUM = "#2e7d32", "#c62828", "#546e7a", "#ef6c00"

#: Shown in place of a ratio of nothing to something.
_LEAST = 0.001


def draw(results: Results, path: Path) -> None:
    """Write a PNG: the ratios of the figures, and the threads while drivers hang."""
    bars = [
        (f"{benchmark.name}: {line.figure.title}", line)
        for benchmark in report.measured(results)
        for line in report.lines(results, benchmark)
        if line.ratio is not None and _compares(line.figure.target)
    ]
    picture = Picture(figsize=(11, 3.8 + 0.3 * len(bars)), layout="constrained")
    FigureCanvasAgg(picture)
    above, below = picture.subplots(2, 1, height_ratios=(max(len(bars), 1) * 0.3, 2.6))
    _ratios(above, bars)
    _threads(below, results)
    picture.savefig(path, dpi=110)


def _compares(target: Target | None) -> bool:
    """Tell whether a bar says more than that something is as it must be."""
    return target is not None and not (target.low and target.high)


def _ratios(axes: Axes, bars: Sequence[tuple[str, report.Line]]) -> None:
    colours = {True: REACHED, False: MISSED, None: PLAIN}
    for place, (_, line) in enumerate(bars):
        ratio, target = line.ratio or 0, line.figure.target
        better = 1 / ratio if ratio and line.figure.more_is_better else ratio
        axes.barh(place, max(better, _LEAST), color=colours[line.reached])
        if target is not None and target.relative:
            bound = 1 / target.low if target.low else target.high
            axes.plot([bound, bound], [place - 0.4, place + 0.4], color="black")
    axes.axvline(1, color=MAGNUM)
    axes.set_yticks(range(len(bars)), [name for name, _ in bars])
    axes.invert_yaxis()
    if bars:
        axes.set_xscale("log")
    axes.set_title("magnumlite / magnum 23.0.0, less is better (orange: equal, black: to reach)")


def _threads(axes: Axes, results: Results) -> None:
    for name, colour in (("magnum", MAGNUM), ("magnumlite", REACHED)):
        for number, run in enumerate(results.runs("status_hung", name)):
            seconds, threads = zip(*run["threads_series"], strict=True)
            axes.plot(seconds, threads, color=colour, label=name if number == 0 else None)
    axes.set_title("status_hung: threads while a tenth of 2,000 drivers hang")
    axes.set_xlabel("seconds since the first poll")
    axes.set_ylim(bottom=0)
    if axes.lines:
        axes.legend()
