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

from oslo_utils import strutils
from oslo_versionedobjects import fields as ovo_fields

from magnumlite import exception, objects
from magnumlite.drivers import base, catalog, registry
from magnumlite.sandbox import scenario
from magnumlite.sandbox.conformance import checks, outcomes, probes
from magnumlite.sandbox.conformance.bystander import Bystander
from magnumlite.sandbox.conformance.checks import saves
from magnumlite.sandbox.conformance.record import Record, Step
from magnumlite.sandbox.conformance.report import Report
from magnumlite.sandbox.conformance.requests import STEPS, Requests, Templates
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

    Raises: ConfigInvalid, SchemaMismatch, DriverUnavailable, InvalidParameterValue.
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
    try:
        templates = _templates(options, probes.kinds(instance))
    except ValueError as error:
        if not record.interface.problems:
            raise exception.InvalidParameterValue(f"--template: {error}") from error
        why = "no template can be of its kind"
        record.steps = [Step(name, why_untried=why) for name in STEPS]
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


def _templates(options: Options, kinds: list[dict[str, str]]) -> Templates:
    """Make the two templates.

    Raises:
        ValueError: no template can have such a kind or such fields.
    """
    first, second = options.template, options.template | options.upgrade
    kind = kinds[0] if kinds else {}
    return Templates(
        scenario.make_template("conformance-v1", options.driver, kind, **_fields(first)),
        scenario.make_template("conformance-v2", options.driver, kind, **_fields(second)),
    )


def _fields(given: dict[str, str]) -> dict[str, Any]:
    """Return a template's fields; labels.NAME is one of its labels.

    Raises:
        ValueError: there is no such field.
    """
    labels: dict[str, str] = {}
    fields: dict[str, Any] = {"labels": labels}
    for name, value in given.items():
        field = objects.ClusterTemplate.fields.get(name)
        if name.startswith("labels."):
            labels[name.removeprefix("labels.")] = value
        elif field is None:
            raise ValueError(f"a template has no field {name}")
        elif isinstance(field, ovo_fields.BooleanField):
            fields[name] = strutils.bool_from_string(value)
        else:
            fields[name] = value
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
