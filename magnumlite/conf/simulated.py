"""[simulated]: the driver that needs no cloud."""

from oslo_config import cfg

GROUP = cfg.OptGroup(
    "simulated",
    title="Simulated driver",
    help="A driver without a cloud, for trials and tests. Each option but the last three is also "
    "a label of a cluster or nodegroup, with the prefix simulated_, which wins.",
)

OPTS = [
    cfg.FloatOpt("delay", default=2.0, min=0, help="Seconds until an operation is complete."),
    cfg.FloatOpt(
        "call_delay", default=0.0, min=0, help="Seconds that the call of an operation takes."
    ),
    cfg.FloatOpt("poll_delay", default=0.0, min=0, help="Seconds that a status poll takes."),
    cfg.ListOpt(
        "fail",
        default=[],
        help="Operations whose call fails: create, update, delete, resize, upgrade, rotate_ca, "
        "rotate_credential, nodegroup_create, nodegroup_update, nodegroup_delete, pre_delete; "
        "poll for the status polls.",
    ),
    cfg.ListOpt("fail_late", default=[], help="Operations that are accepted and fail later."),
    cfg.ListOpt("hang", default=[], help="Operations, or poll, whose call hangs."),
    cfg.ListOpt(
        "unsupported",
        default=[],
        help="Operations that are refused as by a driver that does not have them.",
    ),
    cfg.StrOpt(
        "health",
        default="ok",
        choices=["ok", "unready", "down", "silent"],
        help="How the cluster's Kubernetes API answers: ok; unready, with one node not ready; "
        "down, it refuses connections; silent, it accepts and never answers.",
    ),
    cfg.FloatOpt("hang_for", default=3600.0, min=0, help="Seconds that a hung call lasts."),
    cfg.BoolOpt(
        "kubernetes_api",
        default=False,
        help="Run a small Kubernetes API on loopback for each cluster, which demands the "
        "cluster's client certificate. Without it clusters have no health.",
    ),
    cfg.StrOpt("coe_version", default="v1.31.1", help="Kubernetes version that clusters show."),
]
