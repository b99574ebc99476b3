"""Parsing the configuration; stands for magnum.common.config."""

from collections.abc import Sequence

from magnumlite import conf


def parse_args(argv: Sequence[str], default_config_files: list[str] | None = None) -> None:
    """Parse a command line, program name first, and the configuration files into CONF.

    Raises:
        ConfigInvalid: see magnumlite.conf.parse.
    """
    conf.parse(list(argv[1:]), default_config_files=default_config_files)
