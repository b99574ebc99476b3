"""[cluster_template]: network drivers that templates may name; read by magnum-api."""

from oslo_config import cfg

GROUP = cfg.OptGroup("cluster_template", title="Cluster templates")

OPTS = [
    cfg.ListOpt(
        "kubernetes_allowed_network_drivers",
        default=["flannel", "calico"],
        help="Network drivers that a Kubernetes template may name.",
    ),
    cfg.StrOpt(
        "kubernetes_default_network_driver",
        default="flannel",
        help="Network driver of a Kubernetes template that names none.",
    ),
]
