"""The rules of the house that no linter knows (docs/architecture.md)."""

import ast
import subprocess
import sys
import textwrap
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "magnumlite"

# A room may import the rooms beside and below it.
FLOORS = (
    {"conf", "exception", "context", "i18n", "policy", "version"},
    {"db"},
    {"objects"},
    {"certs", "drivers", "fleet", "journal", "kubernetes", "notifications", "openstack", "rpc"},
    {"conductor"},
    {"periodic"},
    {"process", "sandbox"},
    {"cmd"},
)
RANKS = {room: rank for rank, rooms in enumerate(FLOORS) for room in rooms}

# Made of names that tell nothing.
EMPTY_NAMES = {"utils", "util", "common", "helpers", "helper", "misc", "lib", "tools"}

# About 300 lines is where to ask whether a module is two; here are those that are one.
LONG = {"exception.py"}


def modules() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def room_of(module: str) -> str | None:
    """Return the room of a dotted module name, None for the package itself and others."""
    parts = module.split(".")
    return parts[1] if parts[0] == "magnumlite" and len(parts) > 1 else None


def imported(tree: ast.AST) -> Iterator[str]:
    """Yield every magnumlite module that a module imports, also inside functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            # "from magnumlite import conf" names the room among the names.
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def run_at_import(tree: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes that are evaluated when the module is imported."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            now = [*getattr(child, "decorator_list", []), *child.args.defaults]
            now += [default for default in child.args.kw_defaults if default is not None]
            for part in now:
                yield part
                yield from run_at_import(part)
        else:
            yield child
            yield from run_at_import(child)


def options_read_at_import(source: str) -> list[str]:
    return [
        f"line {node.lineno}: {ast.unparse(node)}"
        for node in run_at_import(ast.parse(source))
        if isinstance(node, ast.Attribute | ast.Subscript)
        and ast.unparse(node.value) in ("CONF", "cfg.CONF", "conf.CONF")
        and not (isinstance(node, ast.Attribute) and node.attr.startswith(("register", "import")))
    ]


def test_imports_point_one_way() -> None:
    wrong = []
    for path in modules():
        room = room_of(name_of(path))
        if room is None or room == "compat":
            continue
        for target in imported(ast.parse(path.read_text())):
            other = room_of(target)
            if other in RANKS and RANKS[other] > RANKS[room]:
                wrong.append(f"{path.relative_to(ROOT)} ({room}) imports {target}")
    assert wrong == []


def test_every_room_has_a_floor() -> None:
    rooms = {room_of(name_of(path)) for path in modules()} - {None, "compat"}
    assert rooms <= RANKS.keys()


def test_only_entry_points_import_compat() -> None:
    wrong = [
        str(path.relative_to(ROOT))
        for path in modules()
        if room_of(name_of(path)) not in ("cmd", "compat")
        and any(room_of(target) == "compat" for target in imported(ast.parse(path.read_text())))
    ]
    assert wrong == []


def test_no_option_is_read_at_import() -> None:
    found = {
        str(path.relative_to(ROOT)): lines
        for path in modules()
        if (lines := options_read_at_import(path.read_text()))
    }
    assert found == {}


@pytest.mark.parametrize(
    "source",
    [
        "INTERVAL = CONF.sync.interval",
        "class Task:\n    spacing = CONF.sync.interval",
        "def run(interval=CONF.sync.interval): pass",
        "@task(spacing=cfg.CONF.sync.interval)\ndef run(): pass",
        "INTERVAL = CONF['sync'].interval",
    ],
)
def test_reading_an_option_at_import_is_seen(source: str) -> None:
    assert options_read_at_import(source)


@pytest.mark.parametrize(
    "source",
    [
        "CONF.register_opts(OPTS)",
        "def run():\n    return CONF.sync.interval",
        "f = lambda: CONF.a.b",
    ],
)
def test_reading_an_option_when_run_is_fine(source: str) -> None:
    assert options_read_at_import(source) == []


def test_names_say_something() -> None:
    wrong = [
        str(p.relative_to(ROOT))
        for p in modules()
        if EMPTY_NAMES & set(p.with_suffix("").parts[len(PACKAGE.parts) :])
    ]
    assert wrong == []


def test_modules_are_short() -> None:
    long = {
        str(path.relative_to(PACKAGE)): lines
        for path in modules()
        if (lines := len(path.read_text().splitlines())) > 400
    }
    assert long.keys() <= LONG, long


def test_console_scripts_are_short_modules_of_cmd() -> None:
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["scripts"]
    for script, target in scripts.items():
        module, _, function = target.partition(":")
        assert room_of(module) == "cmd", script
        source = (ROOT / module.replace(".", "/")).with_suffix(".py").read_text()
        assert len(source.splitlines()) < 100, script
        defined = {n.name for n in ast.parse(source).body if isinstance(n, ast.FunctionDef)}
        assert function in defined, script


def test_scripts_and_groups_that_magnum_owns_are_left_to_it() -> None:
    # Driver packages install magnum beside us: duplicates would break both.
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert not [script for script in project["scripts"] if script.startswith("magnum-")]
    assert not project["entry-points"].keys() & {
        "magnum.cert_manager.backend",
        "magnum.database.migration_backend",
    }


def test_every_module_imports_without_magnum() -> None:
    program = textwrap.dedent("""
        import importlib, sys
        for name in sys.argv[1:]:
            importlib.import_module(name)
        assert "magnum" not in sys.modules
    """)
    names = [name_of(path) for path in modules() if path.stem not in ("__main__", "env")]
    done = subprocess.run([sys.executable, "-c", program, *names], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
