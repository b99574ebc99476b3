"""Reading the configuration: every value is checked at start, and errors are one line."""

from collections.abc import Mapping

from oslo_config import cfg
from oslo_log import log as logging

from magnumlite import exception
from magnumlite.version import version_info

PROGRAM = "magnum-conductor"


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
        default_config_files = cfg.find_config_files(project=project, prog=PROGRAM)
        default_config_dirs = cfg.find_config_dirs(project=project, prog=PROGRAM)
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
    except (cfg.Error, ValueError, logging.LogConfigError) as error:
        raise exception.ConfigInvalid(error_msg=" ".join(str(error).split())) from error


def check(conf: cfg.ConfigOpts) -> None:
    """Read every registered option once: oslo.config converts a value when it is read.

    Raises: cfg.Error or ValueError, naming the option.
    """
    for name in conf:
        value = conf[name]
        if isinstance(value, Mapping):
            for option in value:
                value[option]
