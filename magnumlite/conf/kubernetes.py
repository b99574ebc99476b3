"""[kubernetes]: Kubernetes clusters."""

from oslo_config import cfg

GROUP = cfg.OptGroup("kubernetes", title="Kubernetes clusters")

OPTS = [
    cfg.IntOpt(
        "health_polling_interval",
        default=60,
        help="Seconds between two checks of a cluster's health; negative: no checks.",
    ),
    cfg.StrOpt(
        "keystone_auth_default_policy",
        default="/etc/magnum/keystone_auth_default_policy.json",
        help="Policy file of clusters whose users Keystone authenticates; read by drivers.",
    ),
    cfg.StrOpt(
        "post_install_manifest_url",
        default="",
        help="Manifest that new clusters apply; read by older drivers.",
    ),
]
