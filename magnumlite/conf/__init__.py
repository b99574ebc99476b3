"""Every option, one module a group: magnum's (contract/options.json) and our own.

Importing this registers all of them on oslo.config's global, which drivers use too, and
sets the defaults of the libraries. Nothing is read until parse().
"""

from types import ModuleType

from oslo_config import cfg

from magnumlite.conf import (
    api,
    certificates,
    cinder,
    clients,
    cluster,
    cluster_template,
    conductor,
    database,
    deadline,
    default,
    docker,
    docker_registry,
    drivers,
    fleet,
    health,
    journal,
    keystone_auth,
    kubernetes,
    libraries,
    openstack,
    quotas,
    simulated,
    sync,
    x509,
)
from magnumlite.conf.parser import parse_into

CONF = cfg.CONF

_MODULES: list[ModuleType] = [
    default,
    api,
    certificates,
    cinder,
    cluster,
    cluster_template,
    conductor,
    database,
    deadline,
    docker,
    docker_registry,
    drivers,
    fleet,
    health,
    journal,
    kubernetes,
    openstack,
    quotas,
    simulated,
    sync,
    x509,
]


def _groups() -> list[tuple[cfg.OptGroup | None, list[cfg.Opt]]]:
    return [(module.GROUP, module.OPTS) for module in _MODULES] + list(clients.GROUPS)


def register(conf: cfg.ConfigOpts) -> None:
    """Register every option, ours and the libraries', on `conf`; magnumlite uses CONF."""
    for group, opts in _groups():
        if group is not None:
            conf.register_group(group)
        conf.register_opts(opts, group=group)
    keystone_auth.register(conf)
    libraries.register(conf)


def list_opts() -> list[tuple[cfg.OptGroup | None, list[cfg.Opt]]]:
    """Return all groups and options, for oslo-config-generator."""
    return [*_groups(), (keystone_auth.GROUP, keystone_auth.list_opts())]


def parse(
    args: list[str],
    project: str = "magnum",
    default_config_files: list[str] | None = None,
) -> None:
    """Read the command line and the configuration files into CONF, and set up logging.

    Without --config-file the files are those of magnum-conductor: magnum.conf and
    magnum-conductor.conf in /etc/magnum and oslo.config's other places.

    Raises: ConfigInvalid, one line naming file or option, for whatever cannot be used.
    """
    parse_into(CONF, args, project, default_config_files)


register(CONF)
