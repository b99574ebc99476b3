"""[cluster]: clusters in general."""

from oslo_config import cfg

GROUP = cfg.OptGroup("cluster", title="Clusters")

OPTS = [
    cfg.StrOpt(
        "temp_cache_dir",
        default="/var/lib/magnum/certificate-cache",
        help="Directory of the client certificate and key of each cluster, for drivers that "
        "want files. If it does not exist, files are made and removed at each use.",
    ),
    cfg.IntOpt(
        "pre_delete_lb_timeout",
        default=60,
        help="Seconds to wait for a deleted cluster's load balancers to be gone.",
    ),
    cfg.StrOpt(
        "etcd_discovery_service_endpoint_format",
        default="https://discovery.etcd.io/new?size=%(size)d",
        deprecated_group="bay",
        help="URL that gives a new etcd discovery token; read by older drivers.",
    ),
    cfg.StrOpt(
        "nodes_affinity_policy",
        default="soft-anti-affinity",
        help="Server group policy of a cluster's nodes; read by older drivers.",
    ),
]
