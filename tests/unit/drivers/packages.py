"""Driver packages made on disk, as pip would install them."""

import sys
import textwrap
import uuid
from pathlib import Path
from typing import Any

import pytest

from magnumlite.drivers import base, catalog, registry

METHODS = """
    def _nothing(self, *args, **kwargs):
        self.calls = getattr(self, "calls", 0) + 1

    create_cluster = update_cluster = delete_cluster = resize_cluster = _nothing
    upgrade_cluster = create_nodegroup = update_nodegroup = delete_nodegroup = _nothing
    create_federation = update_federation = delete_federation = _nothing
"""

DRIVER = """
    from magnumlite.drivers.base import Driver


    class Made(Driver):
        provides = [{{"server_type": "vm", "os": "{os}", "coe": "kubernetes"}}]
        {body}
"""


class Packages:
    """Installs packages into a directory on sys.path, and makes the registry look again."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._root = root
        self._monkeypatch = monkeypatch
        monkeypatch.syspath_prepend(root)
        self.look_again()

    def driver(self, name: str, os: str = "ubuntu", body: str = "") -> None:
        """Install a driver that does nothing; `body` goes into its class."""
        lines = textwrap.indent(textwrap.dedent(body), " " * 4) + METHODS
        source = textwrap.dedent(DRIVER).format(os=os, body="").rstrip() + "\n" + lines
        self.source(name, source)

    def source(self, name: str, source: str) -> None:
        """Install a package with this source, its entry point being class Made."""
        module = f"made_{name}_{uuid.uuid4().hex[:8]}"
        (self._root / f"{module}.py").write_text(source)
        self.entry_point(name, f"{module}:Made")

    def entry_point(self, name: str, value: str) -> None:
        """Install the metadata of a package with one driver."""
        info = self._root / f"made_{uuid.uuid4().hex[:8]}-1.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {info.name[:-13]}\n")
        (info / "entry_points.txt").write_text(f"[magnum.drivers]\n{name} = {value}\n")
        self.look_again()

    def look_again(self) -> None:
        """Forget what was loaded; other packages of the environment do not count."""
        made = catalog.Catalog()
        found = made._found()
        for name, entry_point in list(found.items()):
            if not entry_point.value.startswith(("made_", "absent")):
                del found[name]
        self._monkeypatch.setattr(catalog, "CATALOG", made)
        self._monkeypatch.setattr(base.Driver, "definitions", None)
        registry._forget()


def template(**values: Any) -> Any:
    """Return what the registry reads of a template."""

    class Template:
        uuid = "template"
        server_type, cluster_distro, coe, driver = "vm", "ubuntu", "kubernetes", None

    for name, value in values.items():
        setattr(Template, name, value)
    return Template


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, conf: Any) -> Packages:
    """An environment without drivers, to install some into."""
    root = tmp_path / "site"
    root.mkdir()
    before = set(sys.modules)
    made = Packages(root, monkeypatch)
    yield made
    for name in set(sys.modules) - before:
        if name.startswith("made_"):
            del sys.modules[name]
    registry._forget()
