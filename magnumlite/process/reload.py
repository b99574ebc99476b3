"""Change mutable options in place (SIGHUP)."""

from oslo_config import cfg
from oslo_log import log

from magnumlite import conf
from magnumlite.conf import CONF, libraries, parser

LOG = log.getLogger(__name__)


def apply() -> None:
    """Read the configuration files again; options that are not mutable keep their values.

    Files that cannot be used change nothing, and one line tells why.
    """
    try:
        _rehearse()
        CONF.mutate_config_files()
    except (cfg.Error, ValueError) as error:
        LOG.error("The configuration stays as it was: %s", " ".join(str(error).split()))


def _rehearse() -> None:
    """Read the files into options that nobody uses.

    oslo.config takes new files before it looks at the values, so that a bad one would raise
    wherever the option is read next.
    """
    fresh = cfg.ConfigOpts()
    for group, opts in conf.list_opts():
        fresh.register_opts(opts, group=group)
    libraries.register(fresh)
    fresh([], default_config_files=CONF.config_file, default_config_dirs=CONF.config_dir)
    parser.check(fresh)
