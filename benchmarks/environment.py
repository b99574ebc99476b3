"""Where the two conductors come from."""

import os
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

MAGNUM = "magnum==23.0.0"
#: Names an environment that has magnum already.
OVERRIDE = "MAGNUM_ENVIRONMENT"

NAMES = ("magnum", "magnumlite")


@dataclass(frozen=True)
class Subject:
    """A conductor to be measured: its name and the command that starts it."""

    name: str
    command: tuple[str, ...]


def cache() -> Path:
    """Return the directory for what is made once."""
    made = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "magnumlite"
    made = made / "benchmarks"
    made.mkdir(parents=True, exist_ok=True)
    return made


def subject(name: str) -> Subject:
    """Return a conductor by name, installed.

    Raises: subprocess.CalledProcessError when magnum cannot be installed.
    """
    place = Path(sys.prefix) if name == "magnumlite" else _magnum()
    return Subject(name, (str(place / "bin" / f"{name}-conductor"),))


def _magnum() -> Path:
    """Return an environment with magnum, made at the first time."""
    if given := os.environ.get(OVERRIDE):
        return Path(given).expanduser()
    place = (
        cache() / f"{MAGNUM.replace('==', '-')}-python{sys.version_info[0]}.{sys.version_info[1]}"
    )
    if not (place / "bin" / "magnum-conductor").exists():
        print(f"Installing {MAGNUM} for comparison", file=sys.stderr)
        venv.create(place, with_pip=True, clear=True)
        subprocess.run(
            [place / "bin" / "python", "-m", "pip", "install", "--quiet", MAGNUM, "PyMySQL"],
            check=True,
        )
    return place
