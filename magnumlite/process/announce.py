"""What a conductor tells of itself when it starts."""

import logging
import platform
from importlib import metadata

from oslo_log import log

from magnumlite.conf import CONF
from magnumlite.drivers import registry
from magnumlite.process import needs
from magnumlite.version import version_info

LOG = log.getLogger(__name__)

#: Libraries that decide what is seen on the wire and in the database.
_LIBRARIES = ("oslo.messaging", "oslo.db", "oslo.versionedobjects", "SQLAlchemy", "cotyledon")


def start(host: str, workers: int) -> None:
    """Log versions, configuration, and what the database server has to grant."""
    LOG.info(
        "magnumlite-conductor %s on Python %s with %s",
        version_info.version_string(),
        platform.python_version(),
        ", ".join(f"{name} {metadata.version(name)}" for name in _LIBRARIES),
    )
    LOG.info(
        "Host %s, topic %s, %d RPC workers, broker %s, database %s, configuration %s",
        host,
        CONF.conductor.topic,
        workers,
        needs.broker_address(),
        needs.database_address(),
        ", ".join(CONF.config_file + CONF.config_dir) or "none",
    )
    _tell_connections(workers)
    # Without the check oslo.config formats a thousand lines that nobody logs.
    if CONF.log_options and LOG.isEnabledFor(logging.DEBUG):
        CONF.log_opt_values(LOG, logging.DEBUG)


def drivers() -> None:
    """Log the drivers that load and why others do not (known defect B28). Imports them."""
    LOG.info("Drivers: %s", ", ".join(registry.names()) or "none")
    for name, reason in registry.failures().items():
        LOG.warning("Driver %s does not load: %s", name, reason)


def _tell_connections(workers: int) -> None:
    if needs.database_address().startswith("sqlite"):
        return
    pool, overflow = CONF.database.max_pool_size, CONF.database.max_overflow
    LOG.info(
        "The database server may be asked for %d connections: (%d workers + 1) x "
        "([database]max_pool_size %d + max_overflow %d)",
        (workers + 1) * (pool + overflow),
        workers,
        pool,
        overflow,
    )
