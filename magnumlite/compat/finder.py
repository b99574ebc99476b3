"""The import finder that answers for `magnum`."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import os
import sys
import types
from collections.abc import Sequence

from magnumlite.compat.table import FROM_MAGNUM, TABLE

PACKAGES = frozenset(
    ".".join(parts[:n])
    for parts in (name.split(".") for name in TABLE)
    for n in range(1, len(parts))
) - set(TABLE)
"""Names that only hold other names: they become empty packages."""

INNER_NAMES = {
    f"{TABLE[parent]}.{child}": target
    for parent, _, child, target in ((*name.rpartition("."), to) for name, to in TABLE.items())
    if parent in TABLE and f"{TABLE[parent]}.{child}" != target
}
"""Names that `from magnum.P import C` asks for: the import system puts C after the __name__ of
the module that stands for magnum.P, where a module of another name stands for magnum.P.C."""

_installed_finder: "Finder | None" = None


class _Alias(importlib.abc.Loader):
    """Loads a magnum name as the magnumlite module that stands for it: the same object."""

    def __init__(self, target: str) -> None:
        self._target = target

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        module = importlib.import_module(self._target)
        self._own_spec = module.__spec__
        return module

    def exec_module(self, module: types.ModuleType) -> None:
        # The import system has put the alias's spec on the module: give it its own back.
        module.__spec__ = self._own_spec


class _Package(importlib.abc.Loader):
    """Loads a name of PACKAGES."""

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> None:
        return None

    def exec_module(self, module: types.ModuleType) -> None:
        module.__doc__ = "Holds what magnumlite offers under this name; see docs/drivers.md."


class Finder(importlib.abc.MetaPathFinder):
    """Answers for magnum and all below it, and for INNER_NAMES."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,
        target: types.ModuleType | None = None,
    ) -> importlib.machinery.ModuleSpec | None:
        """Return the spec of the module that stands for a magnum name; None for other names.

        Raises:
            ModuleNotFoundError: a magnum name that is not offered. It carries no `name`, or
                `from magnum.X import Y` would replace its text with a general one.
        """
        if fullname in INNER_NAMES:
            return importlib.machinery.ModuleSpec(fullname, _Alias(INNER_NAMES[fullname]))
        if fullname != "magnum" and not fullname.startswith("magnum."):
            return None
        if fullname in TABLE:
            return importlib.machinery.ModuleSpec(fullname, _Alias(TABLE[fullname]))
        if fullname in PACKAGES:
            return importlib.machinery.ModuleSpec(fullname, _Package(), is_package=True)
        spec = None
        if any(fullname == name or fullname.startswith(name + ".") for name in FROM_MAGNUM):
            spec = _from_magnum(fullname)
        if spec is None:
            raise ModuleNotFoundError(
                f"magnumlite does not offer {fullname}: docs/drivers.md lists the modules of "
                "magnum that it offers to drivers"
            )
        return spec


def _from_magnum(fullname: str) -> importlib.machinery.ModuleSpec | None:
    try:
        root = importlib.metadata.distribution("magnum").locate_file("")
    except importlib.metadata.PackageNotFoundError:
        return None
    folder = os.path.join(str(root), *fullname.split(".")[:-1])
    return importlib.machinery.PathFinder.find_spec(fullname, [folder])


def install() -> None:
    """Make `import magnum...` give magnumlite's modules, in this process, from now on.

    Calling it again changes nothing.

    Raises:
        RuntimeError: magnum's own modules are imported already; two of each class would live
            in one process.
    """
    global _installed_finder
    if _installed_finder is not None and _installed_finder in sys.meta_path:
        return
    loaded = sorted(n for n in sys.modules if n == "magnum" or n.startswith("magnum."))
    if loaded:
        raise RuntimeError(
            f"{loaded[0]} is already imported from {_origin(loaded[0])}: magnumlite cannot "
            "stand in for it in this process"
        )
    _installed_finder = Finder()
    sys.meta_path.insert(0, _installed_finder)


def _origin(name: str) -> str:
    return str(getattr(sys.modules[name], "__file__", None) or "an unknown place")
