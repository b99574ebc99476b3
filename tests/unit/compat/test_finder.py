"""The import alias: same objects, own names, clear refusals."""

import importlib
import importlib.util
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from magnumlite import compat
from magnumlite.compat import finder
from magnumlite.compat.table import TABLE

pytestmark = pytest.mark.usefixtures("alias")


def run(code: str, *path: Path) -> subprocess.CompletedProcess[str]:
    """Run code in a process of its own, with directories in front of sys.path."""
    lines = [f"import sys; sys.path[:0] = {[str(p) for p in path]!r}", textwrap.dedent(code)]
    return subprocess.run(
        [sys.executable, "-c", "\n".join(lines)], capture_output=True, text=True, timeout=120
    )


@pytest.mark.parametrize("name", TABLE)
def test_a_name_is_the_module_that_stands_for_it(name: str) -> None:
    module = importlib.import_module(name)
    target = TABLE[name]
    assert sys.modules[name] is sys.modules[target] is module
    assert module.__name__ == target
    assert module.__spec__ is not None
    assert module.__spec__.name == target
    assert importlib.util.find_spec(target) is module.__spec__


@pytest.mark.parametrize("name", TABLE)
def test_it_comes_by_from_import_too(name: str) -> None:
    parent, _, child = name.rpartition(".")
    scope: dict[str, object] = {}
    exec(f"from {parent} import {child} as found", scope)
    assert scope["found"] is sys.modules[TABLE[name]]


@pytest.mark.parametrize("name", TABLE)
def test_it_comes_by_from_import_before_anything_set_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then the import system asks for <the parent's __name__>.<child>."""
    parent, _, child = name.rpartition(".")
    module, holder = importlib.import_module(name), importlib.import_module(parent)
    monkeypatch.delattr(holder, child)
    monkeypatch.delitem(sys.modules, name)
    if f"{holder.__name__}.{child}" in finder.INNER_NAMES:
        monkeypatch.delitem(sys.modules, f"{holder.__name__}.{child}", raising=False)
    scope: dict[str, object] = {}
    exec(f"from {parent} import {child} as found", scope)
    assert scope["found"] is module


def test_classes_are_the_same_whichever_name_they_come_by() -> None:
    from magnum.common import exception as theirs  # type: ignore[import-not-found]
    from magnum.drivers.common import driver

    from magnumlite import exception as ours
    from magnumlite.drivers import base

    assert theirs.NotSupported is ours.NotSupported
    assert driver.Driver is base.Driver
    assert driver.Driver.__module__ == "magnumlite.drivers.base"


def test_packages_without_a_counterpart_are_empty_and_say_what_they_are() -> None:
    import magnum.common  # type: ignore[import-not-found]

    assert magnum.common.__path__ == []
    assert "docs/drivers.md" in magnum.common.__doc__


@pytest.mark.parametrize(
    "statement",
    [
        "import magnum.nothing",
        "import magnum.conductor.nothing",
        "from magnum.common import nothing",
        "from magnum import nothing",
        "import magnum.drivers.heat.driver",
        "import magnum.certs",
    ],
)
def test_a_name_that_is_not_offered_says_so(statement: str) -> None:
    with pytest.raises(ImportError, match=r"does not offer magnum\..*docs/drivers\.md"):
        exec(statement, {})


def test_a_module_that_is_not_offered_can_be_tried() -> None:
    """Drivers guard imports of what only some versions of Magnum have."""
    with pytest.raises(ModuleNotFoundError):
        import magnum.common.nothing  # noqa: F401


def test_other_imports_are_left_alone() -> None:
    asked = finder.Finder()
    for name in ("os", "magnum_capi_helm", "magnumlite.certs", "magnumclient"):
        assert asked.find_spec(name, None) is None


def test_installing_twice_changes_nothing() -> None:
    before = list(sys.meta_path)
    compat.install()
    assert sys.meta_path == before


def test_importing_magnumlite_does_not_install_it() -> None:
    done = run(
        """
        import magnumlite.drivers.registry, magnumlite.compat
        import importlib.util
        assert "magnum" not in sys.modules
        assert importlib.util.find_spec("magnum") is None
        """
    )
    assert done.returncode == 0, done.stderr


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A directory with something that calls itself magnum."""
    for folder in ("magnum", "magnum/tests", "magnum/tests/unit"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").touch()
    (tmp_path / "magnum" / "version.py").write_text("mine = True")
    (tmp_path / "magnum" / "extra.py").touch()
    (tmp_path / "magnum" / "tests" / "unit" / "base.py").write_text(
        "from magnum.common import exception\nfrom magnum.tests import unit\n"
    )
    info = tmp_path / "magnum-23.0.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: magnum\nVersion: 23.0.0\n")
    return tmp_path


def test_it_refuses_when_magnum_itself_is_imported(installed: Path) -> None:
    done = run(
        """
        import magnum.version
        from magnumlite import compat
        try:
            compat.install()
        except RuntimeError as error:
            assert "magnum is already imported from" in str(error), error
            assert magnum.__file__ in str(error)
        else:
            raise SystemExit("it did not refuse")
        """,
        installed,
    )
    assert done.returncode == 0, done.stderr


def test_it_goes_before_an_installed_magnum_but_for_the_tests_of_that(installed: Path) -> None:
    done = run(
        """
        from magnumlite import compat
        compat.install()
        import magnum.version
        from magnum import tests
        from magnum.tests.unit import base
        assert not hasattr(magnum.version, "mine")
        assert base.__file__.startswith(sys.path[0]), base
        assert base.exception.__name__ == "magnumlite.exception"
        try:
            import magnum.extra
        except ImportError as error:
            assert "does not offer magnum.extra" in str(error), error
        else:
            raise SystemExit("magnum's own module came in")
        """,
        installed,
    )
    assert done.returncode == 0, done.stderr


def test_without_an_installed_magnum_its_tests_are_not_offered() -> None:
    done = run(
        """
        from magnumlite import compat
        compat.install()
        try:
            import magnum.tests
        except ImportError as error:
            assert "does not offer magnum.tests" in str(error), error
        """
    )
    assert done.returncode == 0, done.stderr


def test_an_import_error_inside_a_module_is_its_own(installed: Path) -> None:
    (installed / "magnum" / "tests" / "broken.py").write_text("import a_library_nobody_has")
    done = run(
        """
        from magnumlite import compat
        compat.install()
        try:
            import magnum.tests.broken
        except ModuleNotFoundError as error:
            assert error.name == "a_library_nobody_has", error
        assert "magnum.tests.broken" not in sys.modules
        """,
        installed,
    )
    assert done.returncode == 0, done.stderr
