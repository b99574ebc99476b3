"""[DEFAULT]: this host, its paths, and what helper functions of drivers read."""

import pathlib
import re
import socket

from oslo_config import cfg, types

GROUP = None


def _machine_name() -> str:
    """Return the machine's name, made to fit the type of [DEFAULT]host.

    Containers may have a name of digits only, and some machines one with underscores.
    """
    name = re.sub(r"[^A-Za-z0-9.-]+", "-", socket.gethostname()).strip("-.")
    try:
        return types.HostAddress()(name)
    except ValueError:
        return f"host-{name}"[:63].rstrip("-.")


OPTS = [
    cfg.HostAddressOpt(
        "host",
        default=_machine_name(),
        sample_default="<the machine's name>",
        help="This host's identity: in the list of services, in operations, in the publisher "
        "of notifications and in who sweeps which cluster. It must be unique and stay the same.",
    ),
    cfg.BoolOpt(
        "periodic_enable",
        default=True,
        help="Sweep clusters for their status and health on this host. The service's heartbeat "
        "runs regardless.",
    ),
    cfg.IntOpt(
        "periodic_interval_max",
        default=60,
        help="Longest sleep between runs of the periodic tasks, in seconds; also the interval "
        "of the service's heartbeat.",
    ),
    cfg.IntOpt(
        "service_down_time",
        default=180,
        help="Age of a service's last heartbeat, in seconds, above which it is shown as down.",
    ),
    cfg.StrOpt(
        "pybasedir",
        default=str(pathlib.Path(__file__).parent.parent),
        sample_default="<directory of the installed package>",
        help="Directory of the installed Python package.",
    ),
    cfg.StrOpt("bindir", default="$pybasedir/bin", help="Directory of executables."),
    cfg.StrOpt("state_path", default="$pybasedir", help="Directory of state files."),
    cfg.StrOpt("tempdir", help="Directory for temporary files; unset: the system's."),
    cfg.StrOpt(
        "rootwrap_config",
        default="/etc/magnum/rootwrap.conf",
        help="Configuration of rootwrap, for drivers that run commands as root.",
    ),
    cfg.ListOpt(
        "password_symbols",
        default=["23456789", "ABCDEFGHJKLMNPQRSTUVWXYZ", "abcdefghijkmnopqrstuvwxyz"],
        help="Sets of characters that generated passwords are made of; at least one of each.",
    ),
    cfg.IntOpt(
        "max_manifest_size",
        default=524288,
        help="Most bytes that a driver may fetch from a URL given by a user.",
    ),
]
