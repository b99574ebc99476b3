"""[journal]: the table of operations."""

from oslo_config import cfg

GROUP = cfg.OptGroup("journal", title="Journal of operations")

OPTS = [
    cfg.BoolOpt(
        "create_tables",
        default=True,
        help="Add the tables of operations and hosts to the database at start, if missing. "
        "Otherwise magnumlite-db-manage does.",
    ),
    cfg.IntOpt(
        "heartbeat_interval",
        default=10,
        min=1,
        help="Seconds between signs of life of running operations.",
    ),
    cfg.IntOpt(
        "dead_after",
        default=60,
        min=2,
        help="Seconds without a sign of life after which an operation's process is taken for "
        "dead, and the operation ended with that as the reason. Twice heartbeat_interval "
        "at least, and the same on all hosts.",
    ),
    cfg.IntOpt(
        "recast_timeout",
        default=600,
        min=1,
        mutable=True,
        help="Seconds that an operation handed back to the broker may wait for a worker before "
        "it is ended as failed.",
    ),
    cfg.FloatOpt(
        "claim_interval",
        default=0.25,
        min=0.01,
        help="Seconds between looks whether a cluster held by another host is free.",
    ),
    cfg.IntOpt(
        "keep_days",
        default=30,
        min=0,
        mutable=True,
        help="Days that finished operations are kept; 0: for ever.",
    ),
]
