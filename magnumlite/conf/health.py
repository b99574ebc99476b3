"""[health]: how the health of clusters is asked."""

from oslo_config import cfg

GROUP = cfg.OptGroup(
    "health",
    title="Health of clusters",
    help="How often is [kubernetes]health_polling_interval.",
)

OPTS = [
    cfg.IntOpt(
        "threads", default=16, min=1, max=512, help="Clusters asked at a time, on this host."
    ),
    cfg.FloatOpt(
        "connect_timeout",
        default=5,
        min=0.1,
        mutable=True,
        help="Seconds to wait for a connection to a cluster's Kubernetes API.",
    ),
    cfg.FloatOpt(
        "read_timeout",
        default=10,
        min=0.1,
        mutable=True,
        help="Seconds to wait for an answer of a cluster's Kubernetes API.",
    ),
    cfg.IntOpt(
        "unknown_after",
        default=3,
        min=1,
        mutable=True,
        help="Failed checks in a row after which a cluster's health is UNKNOWN.",
    ),
    cfg.StrOpt(
        "proxy",
        default="",
        mutable=True,
        secret=True,
        help="Proxy to clusters' Kubernetes APIs: empty for none, 'environment' for what the "
        "process's variables say, or a URL: http://[user:password@]host[:port].",
    ),
    cfg.BoolOpt(
        "notify",
        default=False,
        mutable=True,
        help="Send a notification, magnum.cluster.health, when a cluster's health changes.",
    ),
]
