"""Reading the configuration: every value is checked at start, and an error is one line."""

import math
import re
from collections.abc import Mapping
from typing import Any

from oslo_config import cfg
from oslo_log import log as logging

from magnumlite import exception
from magnumlite.version import version_info

#: Whose files are read: magnum-conductor.conf belongs to it beside magnum.conf.
_PROGRAM = "magnum-conductor"

#: Of groups: how often a sign of life is given, and after how long without one all is lost.
_SIGNS_OF_LIFE = {
    "fleet": ("beat_interval", "dead_after"),
    "journal": ("heartbeat_interval", "dead_after"),
}

#: How oslo.config's errors tell the file, and after it the reason.
_SOURCE = re.compile(r"detail='(.*)'\) is not valid: (.*)", re.DOTALL)


def parse_into(
    conf: cfg.ConfigOpts,
    args: list[str],
    project: str,
    default_config_files: list[str] | None,
) -> None:
    """Do what magnumlite.conf.parse says, for `conf`.

    Raises: ConfigInvalid.
    """
    default_config_dirs: list[str] = []
    if default_config_files is None:
        default_config_files = cfg.find_config_files(project=project, prog=_PROGRAM)
        default_config_dirs = cfg.find_config_dirs(project=project, prog=_PROGRAM)
    try:
        conf(
            args,
            project=project,
            version=version_info.version_string(),
            default_config_files=default_config_files,
            default_config_dirs=default_config_dirs,
        )
        check(conf)
        logging.setup(conf, project, version_info.version_string())
    except UnicodeDecodeError as error:
        raise _invalid(f"a configuration file is not UTF-8: {error}") from error
    except (cfg.Error, ValueError, logging.LogConfigError, OSError) as error:
        raise _invalid(str(error)) from error


def check(conf: cfg.ConfigOpts) -> None:
    """Read every registered option once: oslo.config converts a value when it is read.

    Raises: ValueError naming option and file.
    """
    for name in conf:
        value = _read(conf, name, "DEFAULT")
        if isinstance(value, Mapping):
            for option in value:
                _read(value, option, name)
    for group, (interval, limit) in _SIGNS_OF_LIFE.items():
        if group in conf and conf[group][limit] < 2 * conf[group][interval]:
            raise ValueError(
                f"[{group}]{limit} is {conf[group][limit]} s and [{group}]{interval} "
                f"{conf[group][interval]} s: it must be twice that at least, or what lives is "
                "taken for dead"
            )


def _read(options: Mapping[str, Any], name: str, group: str) -> Any:
    try:
        value = options[name]
    except (cfg.Error, ValueError) as error:
        found = _SOURCE.search(str(error))
        # oslo.config hides an error in a reference to another option behind one that misleads.
        cause = error.__context__ or error
        where, reason = found.groups() if found else ("the configuration", str(cause))
        raise ValueError(f"[{group}]{name} in {where}: {reason}") from error
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"[{group}]{name} is {value}, which is no number that can be used")
    return value


def _invalid(text: str) -> exception.ConfigInvalid:
    return exception.ConfigInvalid(error_msg=" ".join(text.split()))
