"""[cinder]: volumes of clusters, read by drivers and magnum-api."""

from oslo_config import cfg

GROUP = cfg.OptGroup("cinder", title="Volumes of clusters")

OPTS = [
    cfg.StrOpt(
        "default_docker_volume_type",
        default="",
        help="Volume type for containers' storage; empty: the first that Cinder lists.",
    ),
    cfg.StrOpt(
        "default_etcd_volume_type",
        default="",
        help="Volume type for etcd; empty: the first that Cinder lists.",
    ),
    cfg.StrOpt(
        "default_boot_volume_type",
        default="",
        help="Volume type of boot volumes; empty: the first that Cinder lists.",
    ),
    cfg.IntOpt(
        "default_boot_volume_size",
        default=0,
        help="Size of boot volumes in GiB; 0: nodes boot from the image.",
    ),
]
