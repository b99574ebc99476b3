"""[drivers]: which cluster drivers are used, and what they tell nodes."""

from oslo_config import cfg

GROUP = cfg.OptGroup("drivers", title="Cluster drivers")

OPTS = [
    cfg.BoolOpt(
        "verify_ca",
        default=True,
        help="Let clusters verify the certificates of the cloud's services.",
    ),
    cfg.StrOpt(
        "openstack_ca_file",
        default="",
        help="CA bundle of the cloud's services, given to clusters.",
    ),
    cfg.ListOpt("disabled_drivers", default=[], help="Drivers that are not offered, by name."),
    cfg.ListOpt("enabled_beta_drivers", default=[], help="Beta drivers that are offered, by name."),
    cfg.StrOpt(
        "default_driver",
        help="Driver of a new template whose server type, OS and COE several drivers serve; "
        "read by magnum-api.",
    ),
]
