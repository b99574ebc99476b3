"""[conductor]: the RPC workers and the operations they run."""

from oslo_config import cfg

GROUP = cfg.OptGroup("conductor", title="Conductor")

OPTS = [
    cfg.IntOpt("workers", min=0, help="RPC worker processes; unset or 0: one a CPU."),
    cfg.StrOpt(
        "topic",
        default="magnum-conductor",
        help="RPC topic. magnum-api uses the default whatever its own file says.",
    ),
    cfg.IntOpt(
        "operation_threads",
        default=16,
        min=1,
        max=512,
        help="Operations on clusters that one worker runs at a time.",
    ),
    cfg.IntOpt(
        "operation_queue_max",
        default=10000,
        min=1,
        help="Accepted operations that may wait in one worker. Beyond it the worker takes no "
        "more messages, and they stay with the broker.",
    ),
    cfg.IntOpt(
        "request_slots",
        default=16,
        min=1,
        max=256,
        help="Short requests (object reads and writes, accepting an operation) that one worker "
        "serves at a time.",
    ),
    cfg.IntOpt(
        "call_margin",
        default=10,
        min=0,
        mutable=True,
        help="A call that waits for a driver (upgrade, rotation) answers this many seconds "
        "before [DEFAULT]rpc_response_timeout, while the operation goes on.",
    ),
    cfg.IntOpt(
        "delete_wait",
        default=60,
        min=0,
        mutable=True,
        help="Seconds that a delete waits for the cluster's running operation before it takes "
        "the cluster over.",
    ),
    cfg.BoolOpt(
        "retry_from_failed",
        default=False,
        mutable=True,
        help="Also accept update, upgrade and rotation of a cluster whose last operation "
        "failed, as resize always is.",
    ),
    cfg.BoolOpt(
        "quota_recheck",
        default=True,
        mutable=True,
        help="Count a project's clusters again when a create is accepted: of two creates that "
        "both passed the API's check, the later one fails.",
    ),
    cfg.IntOpt(
        "pre_delete_timeout",
        default=300,
        min=0,
        mutable=True,
        help="Seconds that a driver may take to remove what a cluster made in the cloud, before "
        "the deletion goes on without it.",
    ),
    cfg.BoolOpt(
        "recycle_stuck",
        default=False,
        mutable=True,
        help="When the periodic tasks have given no sign of life for three minutes, drain and "
        "end with status 1, for systemd to start the conductor again. Else it is only logged.",
    ),
]
