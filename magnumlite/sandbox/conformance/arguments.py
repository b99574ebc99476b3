"""magnumlite-sandbox conformance: what is asked for on the command line."""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rich.console import Console

from magnumlite import exception
from magnumlite.sandbox.conformance import show
from magnumlite.sandbox.conformance.examination import Options, examine
from magnumlite.sandbox.conformance.hand import Hand
from magnumlite.sandbox.conformance.report import Report
from magnumlite.sandbox.play import Interrupts

#: Columns of what is no terminal.
_WIDTH = 160


def add(commands: Any) -> None:
    """Add the command to argparse's sub-commands; its `run` is the function to call."""
    parser = commands.add_parser(
        "conformance",
        help="examine a driver",
        description="Examine a driver: every operation of the interface, against a real "
        "conductor in this process, and what drivers get wrong. The exit status is 0 only if "
        "nothing failed.",
    )
    parser.set_defaults(run=run)
    parser.add_argument("--driver", required=True, metavar="NAME", help="driver to examine")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--option",
        type=_option,
        action="append",
        default=[],
        metavar="GROUP.NAME=VALUE",
        help="option of the configuration, such as drivers.disabled_drivers=other",
    )
    parser.add_argument(
        "--config-file",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="options for drivers that need some; --option wins over them",
    )
    for name, what in (
        ("label", "label of the clusters"),
        ("template", "field of the cluster template, such as image_id=... or labels.kube_tag=..."),
        ("upgrade", "field of the template that is upgraded to, where it is another"),
    ):
        parser.add_argument(
            f"--{name}", type=pair, action="append", default=[], metavar="NAME=VALUE", help=what
        )
    parser.add_argument(
        "--timeout", type=_seconds, default=60.0, metavar="S", help="seconds for a step (60)"
    )
    parser.add_argument(
        "--slow", type=_seconds, default=1.0, metavar="S", help="seconds that are long (1)"
    )
    parser.add_argument(
        "--crowd", type=_several, default=3, metavar="N", help="clusters at the same time (3)"
    )
    parser.add_argument("--dir", type=Path, metavar="DIR", help="directory for database and log")


def run(arguments: argparse.Namespace) -> int:
    """Examine and print; return the exit status: 0 passed, 1 failed, 130 interrupted.

    Raises: ConfigInvalid, SchemaMismatch, DriverUnavailable.
    """
    directory = arguments.dir or Path(tempfile.mkdtemp(prefix="magnumlite-conformance-"))
    console = Console(highlight=False, stderr=arguments.json)
    waiting: Any = contextlib.nullcontext()
    if console.is_terminal:
        waiting = console.status("")
    else:
        console.width = _WIDTH
    with waiting as status, Interrupts() as interrupts:
        options = Options(
            driver=arguments.driver,
            directory=directory,
            timeout=arguments.timeout,
            slow=arguments.slow,
            crowd=arguments.crowd,
            config_files=arguments.config_file,
            options=arguments.option,
            labels=dict(arguments.label),
            template=dict(arguments.template),
            upgrade=dict(arguments.upgrade),
        )
        try:
            report = _examine(
                options,
                lambda what: status and status.update(f"{arguments.driver}: {what}"),
                interrupts,
            )
        except exception.MagnumException:
            _remove(arguments, directory)
            raise
    if report is not None:
        _print(arguments, console, report)
    else:
        console.print("Interrupted. What the driver has begun goes on.")
    if report is not None and report.passed:
        _remove(arguments, directory)
    else:
        console.print(f"Log: {directory.absolute()}/conductor.log", soft_wrap=True)
    if report is None:
        return 130
    return 0 if report.passed else 1


def _remove(arguments: argparse.Namespace, directory: Path) -> None:
    """Remove a directory that nobody has asked for."""
    if not arguments.dir:
        shutil.rmtree(directory, ignore_errors=True)


def _print(arguments: argparse.Namespace, console: Console, report: Report) -> None:
    if arguments.json:
        Console(highlight=False, soft_wrap=True, no_color=True).out(
            json.dumps(report.as_dict(), indent=2)
        )
    else:
        show.show(console, report)


def _examine(options: Options, say: Callable[[str], None], interrupts: Interrupts) -> Report | None:
    """Examine in another thread, so that nothing is interrupted in the middle.

    Returns None when interrupted.

    Raises: as examine.
    """
    examining = Hand("conformance-examination").begin(lambda: examine(options, say))
    while not examining.done():
        if interrupts.wait(0.1):
            return None
    return examining.result()  # type: ignore[no-any-return]


def _option(text: str) -> tuple[str, str, str]:
    name, equals, value = text.partition("=")
    group, dot, option = name.partition(".")
    if not equals or not dot or not group or not option:
        raise argparse.ArgumentTypeError("must be GROUP.NAME=VALUE")
    return group, option, value


def pair(text: str) -> tuple[str, str]:
    """Take NAME=VALUE apart."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise argparse.ArgumentTypeError("must be NAME=VALUE")
    return name, value


def _seconds(text: str) -> float:
    seconds = float(text)
    if seconds <= 0:
        raise argparse.ArgumentTypeError("must be more than 0")
    return seconds


def _several(text: str) -> int:
    count = int(text)
    if count < 2:
        raise argparse.ArgumentTypeError("must be 2 or more")
    return count
