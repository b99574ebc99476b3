"""An environment with magnum 23.0.0 alone: the real magnum-api, its conductor, its tools.

Kept in the user's cache, or where $MAGNUMLITE_PEER_VENV says; made when it is not there.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import venv
from collections.abc import Mapping
from pathlib import Path

from tests.interop.driver_environment import MAGNUM, require_index

PACKAGES = [MAGNUM, "PyMySQL", "waitress"]
DRIVERS = Path(__file__).parent / "driver"


class PeerEnvironment:
    """Runs magnum's programs, with the test driver installed."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def ready(cls) -> PeerEnvironment:
        """Return the environment, made when it is not there yet.

        Raises:
            Unreachable: it has to be made and there is no package index.
        """
        given = os.environ.get("MAGNUMLITE_PEER_VENV")
        root = Path(given) if given else _cached()
        made = cls(root)
        root.parent.mkdir(parents=True, exist_ok=True)
        with open(f"{root}.lock", "w") as lock:  # also to look: half of it may be there
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not made._is_there():
                made._make()
        return made

    def _is_there(self) -> bool:
        return Path(self.program("magnum-api")).exists()

    def _make(self) -> None:
        require_index()
        venv.create(self.root, with_pip=True)
        command = [self.program("python"), "-m", "pip", "-qq", "--disable-pip-version-check"]
        done = subprocess.run([*command, "install", *PACKAGES], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"pip: {done.stderr[-2000:]}")

    def program(self, name: str) -> str:
        """Return the path of a console script."""
        return str(self.root / "bin" / name)

    def run(self, name: str, *arguments: str) -> str:
        """Run a program of the environment to its end and return what it printed.

        Raises:
            RuntimeError: with what it printed, when it fails.
        """
        done = subprocess.run(
            [self.program(name), *arguments],
            env=variables(),
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=120,
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stdout[-2000:]}")
        return done.stdout


def _cached() -> Path:
    """Return the place in the user's cache for these packages and this Python."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    wanted = json.dumps([PACKAGES, sys.version_info[:2]])
    return cache / "magnumlite" / f"peer-{hashlib.sha256(wanted.encode()).hexdigest()[:12]}"


def variables(**more: str) -> Mapping[str, str]:
    """Return a process's environment with the test driver on its path and nothing of the run's."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("OS_", "PYTHON"))}
    return kept | {"PYTHONPATH": str(DRIVERS), "PYTHONWARNINGS": "ignore", **more}
