"""[fleet]: which hosts live, and which of them sweeps a cluster."""

from oslo_config import cfg

GROUP = cfg.OptGroup("fleet", title="Fleet of conductor hosts")

OPTS = [
    cfg.IntOpt(
        "beat_interval", default=5, min=1, help="Seconds between signs of life of this host."
    ),
    cfg.IntOpt(
        "dead_after",
        default=15,
        min=2,
        help="Seconds without a sign of life after which the others take over a host's "
        "clusters. Twice beat_interval at least, and the same on all hosts.",
    ),
    cfg.IntOpt(
        "points",
        default=128,
        min=1,
        max=4096,
        help="Points of a host on the hash ring: more make the shares more even. The same on "
        "all hosts.",
    ),
]
