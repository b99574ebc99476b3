"""Fixtures for every test: options, a database, contexts."""

import contextlib
import pathlib
import sys
from collections.abc import Iterator

import hypothesis
import pytest
from oslo_config import cfg

from magnumlite import context as magnum_context

pytest_plugins = ["tests.servers.plugin"]

# A busy machine is no defect: no example has a time limit of its own.
hypothesis.settings.register_profile("magnumlite", deadline=None)
hypothesis.settings.load_profile("magnumlite")

#: The property of a test whose values are lines of the run's summary.
SUMMARY = "summary"

PROJECT = "11111111111111111111111111111111"
USER = "22222222222222222222222222222222"


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what tests have for the summary, and why one was run again."""
    for report in terminalreporter.stats.get("rerun", []):
        terminalreporter.write_sep("_", f"{report.nodeid}, run again")
        terminalreporter.write_line(report.longreprtext)
    reports = [report for kind in terminalreporter.stats.values() for report in kind]
    lines = [
        str(value)
        for report in reports
        if getattr(report, "when", None) == "teardown"
        for name, value in report.user_properties
        if name == SUMMARY
    ]
    for line in lines:
        terminalreporter.write_line(line)


@contextlib.contextmanager
def options_at_defaults() -> Iterator[cfg.ConfigOpts]:
    """The options at their defaults; overrides are gone afterwards."""
    from magnumlite import conf as options

    options.parse([], default_config_files=[])
    yield options.CONF
    options.CONF.clear()  # reset() would drop the defaults of the libraries too
    for name in list(options.CONF):
        if isinstance(options.CONF[name], cfg.ConfigOpts.GroupAttr):
            for option in list(options.CONF[name]):
                _clear_override(options.CONF, option, name)
        else:
            _clear_override(options.CONF, name)


def _clear_override(conf: cfg.ConfigOpts, option: str, group: str | None = None) -> None:
    """Clear an override, and that there was one: get_location() would still tell of it."""
    conf.clear_override(option, group)
    conf._get_opt_info(option, group).pop("location", None)


@contextlib.contextmanager
def sqlite_database(conf: cfg.ConfigOpts, directory: pathlib.Path) -> Iterator[str]:
    """A SQLite file with every table; its URL."""
    from magnumlite.db import engine, schema

    url = f"sqlite:///{directory / 'magnum.sqlite'}"
    conf.set_override("connection", url, "database")
    engine.dispose()
    schema.upgrade()
    yield url
    engine.dispose()


@pytest.fixture
def conf() -> Iterator[cfg.ConfigOpts]:
    """The options at their defaults; overrides are gone after the test."""
    with options_at_defaults() as options:
        yield options


@pytest.fixture
def database(conf: cfg.ConfigOpts, tmp_path: pathlib.Path) -> Iterator[str]:
    """A SQLite file with every table; its URL."""
    with sqlite_database(conf, tmp_path) as url:
        yield url


@pytest.fixture
def context() -> magnum_context.RequestContext:
    """A tenant's context."""
    return magnum_context.RequestContext(user_id=USER, project_id=PROJECT, is_admin=False)


@pytest.fixture
def admin() -> magnum_context.RequestContext:
    """An administrator's context that sees every project."""
    return magnum_context.make_admin_context(all_tenants=True)


@pytest.fixture
def alias() -> Iterator[None]:
    """The name `magnum`, for this test: a client gives errors of that name other classes then."""
    from magnumlite import compat

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(sys, "meta_path", list(sys.meta_path))
        compat.install()
        yield
    for name in list(sys.modules):
        if name == "magnum" or name.startswith("magnum."):
            del sys.modules[name]
