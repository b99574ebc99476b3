"""[docker_registry]: where older drivers keep a cluster's image registry."""

from oslo_config import cfg

GROUP = cfg.OptGroup("docker_registry", title="Image registry", help="Read by older drivers.")

OPTS = [
    cfg.StrOpt("swift_region", help="Region of the object store."),
    cfg.StrOpt(
        "swift_registry_container",
        default="docker_registry",
        help="Container of the object store.",
    ),
]
