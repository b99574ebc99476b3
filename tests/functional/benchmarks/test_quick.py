"""The benchmarks work."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.usefixtures("rabbit_server", "mariadb_server")  # skips where they are not installed
def test_a_quick_run_measures_and_tells(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "--quick", "--only", "ping,create",
         "--conductor", "magnumlite", "--results", str(tmp_path)],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    kept = json.loads((tmp_path / "quick.json").read_text())
    (ping,), (create,) = (kept[name]["runs"]["magnumlite"] for name in ("ping", "create"))
    assert ping["calls_s"] > 0
    assert ping["errors"] == 0
    assert create["driver_calls"] == 6
    assert create["log_errors"] == 0
    assert "calls a second" in done.stdout
    assert "calls a second" in (tmp_path / "quick.md").read_text()
