"""[deadline]: how long operations may take; a create has its cluster's create_timeout."""

from oslo_config import cfg

GROUP = cfg.OptGroup(
    "deadline",
    title="Deadlines of operations",
    help="Past its deadline an operation has failed, with that as the reason.",
)


def _minutes(name: str, what: str) -> cfg.Opt:
    return cfg.IntOpt(
        name, default=0, min=0, mutable=True, help=f"Minutes that {what} may take; 0: no limit."
    )


OPTS = [
    _minutes("update", "an update or a resize"),
    _minutes("upgrade", "an upgrade"),
    _minutes("delete", "a deletion"),
    _minutes("nodegroup", "an operation on a nodegroup"),
    _minutes("rotate", "a rotation of the CA or the credential"),
    cfg.IntOpt(
        "late_watch",
        default=24,
        min=0,
        mutable=True,
        help="Hours that a cluster past its deadline is still polled: a late success counts.",
    ),
]
