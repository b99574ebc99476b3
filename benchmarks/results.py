"""What was measured, in a file: each benchmark's last runs of each conductor."""

from __future__ import annotations

import datetime
import json
from pathlib import Path
from typing import Any

from benchmarks import machine

#: A run's numbers, and the runs of a conductor.
Run = dict[str, Any]


class Results:
    """Runs by benchmark and conductor; kept in a file from the first one on.

    Benchmarks that are not run again keep what they had, with its date and machine.  `quick` ones
    are too small to be held against what was to be reached.
    """

    def __init__(self, path: Path, quick: bool) -> None:
        self.quick = quick
        self._path = path
        self._kept: dict[str, dict[str, Any]] = {}
        if path.exists():
            self._kept = json.loads(path.read_text())

    def begin(self, benchmark: str, workers: int) -> None:
        """Forget what a benchmark had."""
        self._kept[benchmark] = {
            "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
            "machine": machine.describe(),
            "workers": workers,
            "runs": {},
        }

    def add(self, benchmark: str, conductor: str, run: Run) -> None:
        """Note a run; it is in the file when this returns."""
        self._kept[benchmark]["runs"].setdefault(conductor, []).append(run)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._path.write_text(json.dumps(self._kept, indent=1) + "\n")

    def runs(self, benchmark: str, conductor: str) -> list[Run]:
        """Return a conductor's runs of a benchmark, without those that failed."""
        kept = self._kept.get(benchmark, {}).get("runs", {}).get(conductor, [])
        return [run for run in kept if "error" not in run]

    def failures(self, benchmark: str, conductor: str) -> list[str]:
        """Return why runs failed."""
        kept = self._kept.get(benchmark, {}).get("runs", {}).get(conductor, [])
        return [run["error"] for run in kept if "error" in run]

    def benchmarks(self) -> list[str]:
        """Return the benchmarks there is something of."""
        return list(self._kept)

    def machines(self) -> list[str]:
        """Return the machines and dates, each once, in words."""
        told = []
        for entry in self._kept.values():
            text = ", ".join(f"{name} {value}" for name, value in entry["machine"].items())
            told.append(f"{entry['date']}, [conductor]workers {entry['workers']}: {text}")
        return list(dict.fromkeys(told))
