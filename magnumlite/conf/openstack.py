"""[openstack]: how long to wait for OpenStack's services."""

from oslo_config import cfg

GROUP = cfg.OptGroup("openstack", title="Calls to OpenStack's services")

OPTS = [
    cfg.FloatOpt(
        "request_timeout",
        default=60,
        min=1,
        help="Seconds to wait for a connection to a service, and for each of its answers, where "
        "[keystone_auth]timeout is not set; magnum then waits for ever.",
    ),
]
