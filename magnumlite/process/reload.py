"""Change mutable options in place (SIGHUP)."""

from oslo_config import cfg
from oslo_log import log

from magnumlite import conf
from magnumlite.conf import CONF, parser

LOG = log.getLogger(__name__)


def apply() -> None:
    """Read the configuration files again; options that are not mutable keep their values.

    Files that cannot be used change nothing, and one line tells why.
    """
    problem = None
    try:
        _rehearse()
        CONF.mutate_config_files()
    except (cfg.Error, ValueError) as error:
        problem = " ".join(str(error).split())
    except SystemExit:
        # That is how oslo.config answers a bad value of an option that the command line has too.
        problem = "an option has a bad value; standard error names it"
    # Not in the handler: oslo.log adds the exception to what is logged there.
    if problem is not None:
        LOG.error("The configuration stays as it was: %s", problem)


def _rehearse() -> None:
    """Read the files into options that nobody uses.

    oslo.config takes new files before it looks at the values, so that a bad one would raise
    wherever the option is read next.
    """
    fresh = cfg.ConfigOpts()
    conf.register(fresh)
    fresh([], default_config_files=CONF.config_file, default_config_dirs=CONF.config_dir)
    parser.check(fresh)
