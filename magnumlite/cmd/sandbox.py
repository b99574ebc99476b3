"""magnumlite-sandbox: a conductor in one process, with a scenario to watch."""

import argparse
import sys
from pathlib import Path

from rich.console import Console

from magnumlite import compat, exception
from magnumlite.sandbox import play
from magnumlite.sandbox.conformance import arguments as conformance
from magnumlite.sandbox.scenario import STEPS


def main() -> None:
    """Play the scenario, or examine a driver, and exit with the status."""
    parser = _parser()
    options = parser.parse_args()
    if options.fail and options.driver != "simulated":
        parser.error("--fail is for the simulated driver: others cannot be told to fail")
    compat.install()
    try:
        sys.exit(options.run(options))
    except exception.MagnumException as error:
        print(f"magnumlite-sandbox: {error}", file=sys.stderr)
        sys.exit(2)


def _play(options: argparse.Namespace) -> int:
    return play.run(
        play.Options(
            driver=options.driver,
            clusters=options.clusters,
            fail=options.fail,
            keep=options.keep,
            directory=options.dir,
            timeout=options.timeout,
            config_files=options.config_file,
            labels=dict(options.label),
        ),
        Console(highlight=False),
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="magnumlite-sandbox",
        description="Run a conductor in this process, without services, and play the life of "
        "clusters to it through RPC: create, resize, upgrade, delete. The exit status is 0 "
        "only if every step ended as it should.",
    )
    parser.add_argument(
        "--driver", default="simulated", metavar="NAME", help="driver to play against (%(default)s)"
    )
    parser.add_argument(
        "--clusters", type=_count, default=1, metavar="N", help="clusters at a time (%(default)s)"
    )
    parser.add_argument(
        "--fail", choices=STEPS, help="step that the simulated driver fails; it should then fail"
    )
    parser.add_argument(
        "--keep", action="store_true", help="stay up before delete until interrupted"
    )
    parser.add_argument(
        "--dir", type=Path, metavar="DIR", help="directory for database, configuration and log"
    )
    parser.add_argument(
        "--timeout", type=float, default=60.0, metavar="S", help="seconds for a step (%(default)g)"
    )
    parser.add_argument(
        "--label",
        type=conformance.pair,
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="label of the clusters, such as simulated_delay=5",
    )
    parser.add_argument(
        "--config-file",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="options that win over the sandbox's own, for drivers that need some",
    )
    parser.set_defaults(run=_play)
    conformance.add(parser.add_subparsers(title="or", metavar="COMMAND"))
    return parser


def _count(text: str) -> int:
    count = int(text)
    if count < 1:
        raise argparse.ArgumentTypeError("must be 1 or more")
    return count
