"""The options of the libraries the conductor relies on, and the defaults magnum gives them.

Libraries register their options when they first need them. Here they all are from the start,
so that a bad value is told when the configuration is read and not an hour later.
"""

import oslo_messaging
from oslo_concurrency import opts as concurrency
from oslo_config import cfg
from oslo_db import options as db
from oslo_log import log
from oslo_messaging import opts as messaging
from oslo_messaging._drivers import impl_rabbit
from oslo_messaging.notify import notifier
from oslo_policy import opts as policy
from oslo_reports import opts as reports
from oslo_service import periodic_task, service
from oslo_versionedobjects import exception as versionedobjects

#: Messages that RabbitMQ hands to a worker beyond those it has acknowledged: casts that wait for
#: their turn, and calls behind them.  The rest of the backlog stays with the broker, for other
#: workers (DESIGN section 4).
PREFETCH = 200

#: Tries to send a notification, 9 s in all, until it is given up: oslo.messaging's default is
#: for ever, and a broker of notifications that is away must not stop operations.
NOTIFICATION_TRIES = 3


def set_defaults() -> None:
    """Set the defaults that differ from the libraries' own."""
    oslo_messaging.set_transport_defaults(control_exchange="magnum")
    cfg.set_defaults(impl_rabbit.rabbit_opts, rabbit_qos_prefetch_count=PREFETCH)
    cfg.set_defaults(notifier._notifier_opts, retry=NOTIFICATION_TRIES)
    cfg.set_defaults(db.database_opts, connection="sqlite:///$state_path/magnum.sqlite")


def register(conf: cfg.ConfigOpts) -> None:
    """Set the defaults and register what the libraries would register later."""
    set_defaults()
    log.register_options(conf)
    conf.register_opts(db.database_opts, group="database")
    conf.register_opts(versionedobjects.exc_log_opts, group="oslo_versionedobjects")
    for library in (concurrency, messaging, periodic_task, policy, reports, service):
        for group, opts in library.list_opts():
            conf.register_opts(opts, group=group)
