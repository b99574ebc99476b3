"""[quotas]: limits of projects without a quota of their own."""

from oslo_config import cfg

GROUP = cfg.OptGroup("quotas", title="Quotas")

OPTS = [
    cfg.IntOpt(
        "max_clusters_per_project",
        default=20,
        help="Clusters that a project without a quota of its own may have.",
    ),
]
