"""One driver from the house to the report."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from magnumlite.drivers import base, catalog, registry
from magnumlite.sandbox import scenario
from magnumlite.sandbox.conformance import checks, outcomes, probes
from magnumlite.sandbox.conformance.bystander import Bystander
from magnumlite.sandbox.conformance.checks import saves
from magnumlite.sandbox.conformance.record import Record
from magnumlite.sandbox.conformance.report import Report
from magnumlite.sandbox.conformance.requests import Requests, Templates
from magnumlite.sandbox.conformance.tour import Tour
from magnumlite.sandbox.conformance.witness import Witness
from magnumlite.sandbox.house import House

#: What the command sets, before the files and options that are given.
_CONFIGURATION = """\
[DEFAULT]
rpc_response_timeout = {patience}

[conductor]
call_margin = 10

[journal]
claim_interval = 0.05

[simulated]
delay = 0.3
"""

#: Seconds that a driver's call may go on when all is over.
_STOP = 5.0


@dataclass(frozen=True)
class Options:
    """What to examine, and how."""

    driver: str
    directory: Path
    timeout: float = 60.0  # seconds for a step
    slow: float = 1.0  # seconds that make a call long
    crowd: int = 3  # clusters at once
    config_files: list[Path] = field(default_factory=list)
    options: list[tuple[str, str, str]] = field(default_factory=list)  # group, name, value
    labels: dict[str, str] = field(default_factory=dict)
    template: dict[str, str] = field(default_factory=dict)  # fields of the templates
    upgrade: dict[str, str] = field(default_factory=dict)  # of the one upgraded to


def examine(options: Options, say: Callable[[str], None]) -> Report:
    """Examine a driver; `say` is told what goes on.

    Post: the directory holds magnum.conf, magnum.sqlite and conductor.log.

    Raises: ConfigInvalid, SchemaMismatch, DriverUnavailable.
    """
    begun = time.monotonic()
    directory = options.directory.absolute()
    temporary = directory / "tmp"
    temporary.mkdir(parents=True, exist_ok=True)
    say("making a database and starting a conductor")
    house = House(directory, options.crowd, _config_files(options, directory))
    with _temporary_files_in(temporary):
        try:
            house.open(sweeping=False)
            record = _tour(options, temporary, directory, say)
        finally:
            house.close(_STOP)
    return Report(
        driver=options.driver,
        class_name=record.class_name,
        operations=outcomes.judge(record),
        checks=checks.judge(record),
        saves=saves.by_method(record),
        seconds=time.monotonic() - begun,
    )


def _tour(options: Options, temporary: Path, directory: Path, say: Callable[[str], None]) -> Record:
    asked = SimpleNamespace(driver=options.driver, server_type=None, cluster_distro=None, coe=None)
    instance = registry.for_template(asked)
    driver = type(instance)
    record = Record(options.driver, f"{driver.__module__}.{driver.__qualname__}", slow=options.slow)
    record.polls_itself = driver.update_cluster_status is not base.Driver.update_cluster_status
    probes.interface(instance, record.interface)
    templates = _templates(options, instance)
    if templates is None:
        return record
    bystander = Bystander(templates.first)
    witness = Witness()

    def requests(name: str) -> Requests:
        return Requests(name, templates, options.labels, options.timeout + 5)

    tour = Tour(record, witness, requests, options.timeout, options.crowd, say)
    with (
        witness.listening(),
        catalog.CATALOG.standing_in(options.driver, witness.stands_before(driver)),
    ):
        tour.go(temporary, directory, bystander.leave)
    return record


def _templates(options: Options, driver: Any) -> Templates | None:
    """Make the two templates; None for a driver whose kind no template can have."""
    kinds = driver.provides
    kind = kinds[0] if isinstance(kinds, list | tuple) and kinds else {}
    try:
        return Templates(
            scenario.make_template(
                "conformance-v1", options.driver, kind, **_fields(options.template)
            ),
            scenario.make_template(
                "conformance-v2",
                options.driver,
                kind,
                **_fields(options.template | options.upgrade),
            ),
        )
    except ValueError:
        return None


def _fields(given: dict[str, str]) -> dict[str, Any]:
    """Return a template's fields; labels.NAME is one of its labels."""
    fields: dict[str, Any] = {k: v for k, v in given.items() if not k.startswith("labels.")}
    fields["labels"] = {
        name.removeprefix("labels."): value
        for name, value in given.items()
        if name.startswith("labels.")
    }
    return fields


def _config_files(options: Options, directory: Path) -> list[Path]:
    """Write what the command and its --option set; return all files, the last one wins."""
    ours, given = directory / "conformance.conf", directory / "options.conf"
    ours.write_text(_CONFIGURATION.format(patience=int(options.timeout) + 10))
    given.write_text("".join(f"[{g}]\n{name} = {value}\n" for g, name, value in options.options))
    return [ours, *options.config_files, given]


@contextlib.contextmanager
def _temporary_files_in(directory: Path) -> Iterator[None]:
    """Have temporary files made in a directory of our own, also by programs that are run."""
    before, variable = tempfile.tempdir, os.environ.get("TMPDIR")
    tempfile.tempdir = os.environ["TMPDIR"] = str(directory)
    try:
        yield
    finally:
        tempfile.tempdir = before
        if variable is None:
            del os.environ["TMPDIR"]
        else:
            os.environ["TMPDIR"] = variable
