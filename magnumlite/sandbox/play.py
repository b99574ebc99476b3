"""A play from the first line to the exit status."""

from __future__ import annotations

import contextlib
import shutil
import signal
import tempfile
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Self

from rich.console import Console

from magnumlite.drivers import registry
from magnumlite.sandbox import scenario, summary, view
from magnumlite.sandbox.house import House
from magnumlite.sandbox.ledger import Ledger
from magnumlite.sandbox.live import LiveScreen
from magnumlite.sandbox.scenario import Outcome, Scenario, Stage
from magnumlite.sandbox.screen import Lines, Screen

_REFRESH = 0.1  # seconds between two looks at the database
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_MOST_AT_ONCE = 64  # clusters that are played at the same time


@dataclass(frozen=True)
class Options:
    """What the command line asks for."""

    driver: str = "simulated"
    clusters: int = 1
    fail: str | None = None
    keep: bool = False
    directory: Path | None = None
    timeout: float = 60.0  # seconds for one step of one cluster
    config_files: list[Path] = field(default_factory=list)
    labels: dict[str, str] = field(default_factory=dict)


def run(options: Options, console: Console) -> int:
    """Play, and return the exit status.

    0: every step ended as it should. 1: one did not. 130: interrupted before the end.

    Raises: ConfigInvalid, SchemaMismatch, DriverUnavailable.
    """
    directory = options.directory or Path(tempfile.mkdtemp(prefix="magnumlite-sandbox-"))
    directory = directory.absolute()
    title = f"driver {options.driver}, {directory}"
    screen: Screen = LiveScreen(console, title) if console.is_terminal else Lines(console)
    house = House(directory, options.clusters, options.config_files)
    ledger = Ledger(screen.event)
    try:
        with Interrupts() as interrupts:
            play = _Play(options, screen, ledger, interrupts)
            screen.say(f"{title}: making a database and starting a conductor")
            house.open()
            ledger.open()
            status = play.perform()
    finally:
        ledger.close()
        house.close()
        screen.close()
    summary.show(console, play.outcomes)
    kept = options.directory is not None or status != 0
    console.print(_verdict(play.outcomes, status), soft_wrap=True)
    if kept:
        console.print(f"Log: {house.log}", soft_wrap=True)
    else:
        shutil.rmtree(directory)
    return status


class Interrupts:
    """INT and TERM as something to ask for; a second one while one is unanswered ends all."""

    def __init__(self) -> None:
        self._came = threading.Event()
        self._before: list[Any] = []

    def __enter__(self) -> Self:
        self._before = [signal.signal(number, self._note) for number in _SIGNALS]
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in zip(_SIGNALS, self._before, strict=True):
            signal.signal(number, handler)

    def wait(self, seconds: float) -> bool:
        """Wait for an interrupt; answer it and return True when one came."""
        came = self._came.wait(seconds)
        self._came.clear()
        return came

    def _note(self, *_: object) -> None:
        if self._came.is_set():
            raise KeyboardInterrupt
        self._came.set()


class _Play:
    """All clusters through all steps, with the screen kept up to date."""

    def __init__(
        self, options: Options, screen: Screen, ledger: Ledger, interrupts: Interrupts
    ) -> None:
        self.outcomes: list[Outcome] = []
        self._options = options
        self._screen = screen
        self._ledger = ledger
        self._interrupts = interrupts

    def perform(self) -> int:
        stage = self._stage()
        count = self._options.clusters
        width = len(str(count))
        scenarios = [Scenario(f"sandbox-{n:0{width}}", stage) for n in range(1, count + 1)]
        with ThreadPoolExecutor(min(count, _MOST_AT_ONCE)) as pool:
            try:
                self._act(pool, scenarios, scenario.STEPS[:-1])
                if self._options.keep:
                    self._hold()
                self._act(pool, scenarios, scenario.STEPS[-1:])
            except KeyboardInterrupt:
                self._ledger.abandon()
                pool.shutdown(cancel_futures=True)
                return 130
        return 0 if all(outcome.as_it_should for outcome in self.outcomes) else 1

    def _stage(self) -> Stage:
        driver = self._options.driver
        asked = SimpleNamespace(driver=driver, server_type=None, cluster_distro=None, coe=None)
        kinds = registry.for_template(asked).provides or [{}]
        template, next_template = (
            scenario.make_template(name, driver, kinds[0]) for name in scenario.TEMPLATES
        )
        return Stage(
            self._ledger,
            template,
            next_template,
            self._options.labels,
            self._options.fail,
            self._options.timeout,
        )

    def _act(
        self, pool: ThreadPoolExecutor, scenarios: Sequence[Scenario], steps: Sequence[str]
    ) -> None:
        """Play some steps of every cluster, one after the other in each; return when all ended."""

        def one(cluster: Scenario) -> None:
            for step in steps:
                outcome = cluster.play(step)
                self.outcomes.append(outcome)
                self._screen.ended(outcome)

        self._screen.say(f"playing {', '.join(steps)}")
        playing = [pool.submit(one, cluster) for cluster in scenarios]
        self._watch(lambda: all(future.done() for future in playing))
        for future in playing:
            future.result()

    def _hold(self) -> None:
        self._screen.say("staying up; interrupt (Ctrl-C) to go on with delete")
        with contextlib.suppress(KeyboardInterrupt):
            self._watch(lambda: False)

    def _watch(self, over: Callable[[], bool]) -> None:
        """Keep the screen up to date until it is over.

        Raises: KeyboardInterrupt, here and nowhere in the middle of something.
        """
        while not over():
            self._screen.clusters(view.take())
            if self._interrupts.wait(_REFRESH):
                raise KeyboardInterrupt
        self._screen.clusters(view.take())


def _verdict(outcomes: Sequence[Outcome], status: int) -> str:
    wrong = sum(not outcome.as_it_should for outcome in outcomes)
    if status == 130:
        return "Interrupted."
    if wrong:
        return f"{wrong} of {len(outcomes)} steps did not end as they should."
    return f"All {len(outcomes)} steps ended as they should."
