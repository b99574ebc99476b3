"""An environment with magnum 23.0.0 beside magnumlite, and real drivers apart from it.

The drivers' distributions are in directories of their own, so that a test chooses which are
installed; what they depend on is in the environment. It is kept in the user's cache.
"""

import fcntl
import hashlib
import json
import os
import subprocess
import sys
import textwrap
import urllib.error
import urllib.request
import venv
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
MAGNUM = "magnum==23.0.0"
# magnum-cluster-api imports novaclient and pkg_resources without declaring where they come from
# (known defect B69); setuptools 81 has pkg_resources no more.
DRIVERS = {
    "capi-helm": ("magnum-capi-helm==1.4.0", []),
    "cluster-api": ("magnum-cluster-api==0.38.2", ["python-novaclient", "setuptools>=77,<81"]),
}
# What the drivers' own tests, and the fixtures of magnum.tests, stand on.
TESTING = ["pytest", "fixtures", "oslotest", "testscenarios", "testtools"]
INDEX = "https://pypi.org/simple/pip/"

KUBECONFIG = """\
apiVersion: v1
kind: Config
current-context: management
clusters: [{name: management, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: magnum, user: {token: secret}}]
contexts: [{name: management, context: {cluster: management, user: magnum}}]
"""


class Unreachable(Exception):
    """The package index does not answer."""


class Environment:
    """Runs programs with chosen drivers installed."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._bin = root / "venv" / "bin"

    @classmethod
    def ready(cls) -> "Environment":
        """Return the environment, made when it is not there yet.

        Raises:
            Unreachable: it has to be made and there is no package index.
        """
        cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
        wanted = json.dumps([MAGNUM, DRIVERS, TESTING, sys.version_info[:2]])
        name = hashlib.sha256(wanted.encode()).hexdigest()[:12]
        root = cache / "magnumlite" / "interop" / name
        root.mkdir(parents=True, exist_ok=True)
        made = cls(root)
        with open(root / "lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (root / "ready").exists():
                made._make()
                (root / "ready").touch()
            made._install()
        return made

    def _make(self) -> None:
        require_index()
        venv.create(self._root / "venv", with_pip=True, clear=True)
        packages = [package for package, extra in DRIVERS.values() for package in (package, *extra)]
        self._pip("install", MAGNUM, f"{ROOT}[openstack]", *TESTING, *packages)
        self._pip(
            "uninstall", "-y", "magnumlite", *(p.partition("==")[0] for p, _ in DRIVERS.values())
        )
        for name, (package, _) in DRIVERS.items():
            self._pip("install", "--no-deps", "--target", str(self._root / name), package)

    def _install(self) -> None:
        """Install this tree in place, unless it is: another worker may be running it."""
        stamp = self._root / "installed"
        wanted = f"{ROOT}\n{KUBECONFIG}\n{(ROOT / 'pyproject.toml').read_text()}"
        if not stamp.exists() or stamp.read_text() != wanted:
            stamp.unlink(missing_ok=True)
            self._pip("install", "--no-deps", "--no-build-isolation", "-e", str(ROOT))
            (self._root / "kubeconfig").write_text(KUBECONFIG)
            stamp.write_text(wanted)

    def _pip(self, *arguments: str) -> None:
        command = [self._bin / "python", "-m", "pip", "-qq", "--disable-pip-version-check"]
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"pip {' '.join(arguments)}: {done.stderr[-2000:]}")

    def variables(self, drivers: Sequence[str], *path: Path) -> dict[str, str]:
        """Return a process's environment with these drivers installed, `path` before them."""
        places = [*path, *map(self.driver, drivers)]
        return {
            **{
                k: v for k, v in os.environ.items() if not k.startswith(("OS_", "PYTEST", "PYTHON"))
            },
            "PYTHONPATH": os.pathsep.join(map(str, places)),
            "PYTHONWARNINGS": "ignore",
            "KUBECONFIG": str(self._root / "kubeconfig"),
        }

    def driver(self, name: str) -> Path:
        """Return the directory that a driver is installed in."""
        return self._root / name

    def program(self, name: str) -> str:
        """Return the path of a console script."""
        return str(self._bin / name)

    def run(
        self, drivers: Sequence[str], program: str, *arguments: str, path: Sequence[Path] = ()
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment to its end."""
        return subprocess.run(
            [self.program(program), *arguments],
            env=self.variables(drivers, *path),
            cwd="/",
            capture_output=True,
            text=True,
            timeout=300,
        )

    def ask(self, drivers: Sequence[str], code: str, path: Sequence[Path] = ()) -> Any:
        """Run code with the alias installed and CONF parsed; return what it puts in `answer`."""
        lines = [
            "import json, sys",
            "from magnumlite import compat, conf",
            "compat.install()",
            "conf.parse([], default_config_files=[])",
            textwrap.dedent(code),
            "print('ANSWER', json.dumps(answer))",
        ]
        done = self.run(drivers, "python", "-c", "\n".join(lines), path=path)
        _, found, answer = done.stdout.partition("ANSWER ")
        assert found, done.stdout[-2000:] + done.stderr[-2000:]
        return json.loads(answer)


def require_index() -> None:
    """Look whether packages can be had.

    Raises:
        Unreachable: the index does not answer.
    """
    try:
        urllib.request.urlopen(INDEX, timeout=20).close()
    except urllib.error.HTTPError:
        return  # it answers
    except OSError as error:
        raise Unreachable(f"{INDEX} cannot be reached: {error}") from error
