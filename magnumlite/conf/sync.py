"""[sync]: the sweep for the status of clusters in progress."""

from oslo_config import cfg

GROUP = cfg.OptGroup("sync", title="Status sweep")

OPTS = [
    cfg.IntOpt("interval", default=10, min=1, help="Seconds between two polls of a cluster."),
    cfg.IntOpt(
        "quick_slots", default=16, min=1, max=512, help="Clusters polled at a time, on this host."
    ),
    cfg.IntOpt(
        "slow_lane",
        default=240,
        min=1,
        max=4096,
        help="Polls that may take longer than slow_after, at a time: they leave their slot to "
        "another cluster, so that slow ones do not hold up quick ones.",
    ),
    cfg.IntOpt(
        "overflow",
        default=1000,
        min=0,
        max=10000,
        help="Polls beyond slow_lane, at a time: those that hang, and those found slow while they "
        "run, may fill it, so that many clusters that hang do not hold up the others. Each is "
        "a thread; quick_slots, slow_lane and this together are the most threads there are.",
    ),
    cfg.FloatOpt(
        "slow_after", default=0.5, min=0.01, help="Seconds after which a poll counts as slow."
    ),
    cfg.IntOpt(
        "backoff_min",
        default=10,
        min=1,
        help="Seconds until a cluster whose poll failed is polled again; doubled each time.",
    ),
    cfg.IntOpt(
        "backoff_max",
        default=300,
        min=1,
        help="Most seconds until a cluster whose poll failed is polled again.",
    ),
    cfg.IntOpt(
        "slow_log_after",
        default=60,
        min=1,
        help="Seconds after which a poll that still runs is told in the log.",
    ),
]
