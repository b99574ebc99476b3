"""Small functions on processes, files and texts; stands for magnum.common.utils."""

import contextlib
import ipaddress
import os
import secrets
import shutil
import string
import tempfile
from collections.abc import Iterator, Sequence
from typing import Any

from oslo_concurrency import processutils
from oslo_log import log
from oslo_utils import netutils

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.kubernetes.quantity import UNITS, get_k8s_quantity

__all__ = [
    "DOCKER_MEMORY_UNITS",
    "MEMORY_UNITS",
    "execute",
    "generate_password",
    "get_k8s_quantity",
    "get_openstack_ca",
    "is_name_safe",
    "rmtree_without_raise",
    "safe_rstrip",
    "tempdir",
    "trycmd",
    "validate_and_normalize_mac",
    "validate_dns",
]

LOG = log.getLogger(__name__)

MEMORY_UNITS = UNITS
"""Suffixes of a Kubernetes quantity; magnum's table writes P as p and cannot read 1P."""

DOCKER_MEMORY_UNITS = {"b": 1, "k": 2**10, "m": 2**20, "g": 2**30}

_DIGITS = "23456789"
_LETTERS = "".join(sorted(set(string.ascii_letters) - set("IOl")))
_READABLE = (
    _DIGITS,
    "".join(c for c in _LETTERS if c.isupper()),
    "".join(c for c in _LETTERS if c.islower()),
)
"""What generate_password draws from: nothing that looks like something else."""


def execute(*cmd: str, **kwargs: Any) -> tuple[str | bytes, str | bytes]:
    """Run a command; return (stdout, stderr), texts unless binary=True.

    Takes what processutils.execute takes; run_as_root goes through magnum's rootwrap, and
    use_standard_locale=True sets LC_ALL=C.

    Raises:
        processutils.ProcessExecutionError, processutils.UnknownArgumentError.
    """
    if kwargs.pop("use_standard_locale", False):
        kwargs["env_variables"] = {**(kwargs.get("env_variables") or os.environ), "LC_ALL": "C"}
    _set_root_helper(kwargs)
    try:
        return processutils.execute(*cmd, **kwargs)
    except TypeError as error:
        raise processutils.UnknownArgumentError(str(error)) from error


def trycmd(*args: str, **kwargs: Any) -> tuple[str | bytes, str | bytes]:
    """Run a command that may fail; return (stdout, stderr), stderr being the error if it did.

    discard_warnings=True gives '' for stderr when the command succeeds.
    """
    _set_root_helper(kwargs)
    return processutils.trycmd(*args, **kwargs)


def _set_root_helper(kwargs: dict[str, Any]) -> None:
    if kwargs.get("run_as_root"):
        kwargs.setdefault("root_helper", f"sudo magnum-rootwrap {CONF.rootwrap_config}")


def validate_and_normalize_mac(address: str) -> str:
    """Return a MAC address in lower case.

    Raises:
        InvalidMAC: not six colon-separated bytes.
    """
    if not netutils.is_valid_mac(address):
        raise exception.InvalidMAC(mac=address)
    return address.lower()


def validate_dns(dns_list: str) -> str:
    """Return the text it was given when it is one IPv4 address or several with commas.

    Raises:
        InvalidDNS: it is not.
    """
    try:
        for address in dns_list.split(","):
            ipaddress.IPv4Address(address.strip())
    except ValueError as error:
        raise exception.InvalidDNS(dns=dns_list) from error
    return dns_list


@contextlib.contextmanager
def tempdir(**kwargs: Any) -> Iterator[str]:
    """Give a directory below [DEFAULT]tempdir that is gone afterwards; takes mkdtemp's arguments.

    What cannot be removed is logged.
    """
    path = tempfile.mkdtemp(**{"dir": CONF.tempdir, **kwargs})
    try:
        yield path
    finally:
        rmtree_without_raise(path)


def rmtree_without_raise(path: str) -> None:
    """Remove a directory and all below it; what cannot be removed is logged."""
    try:
        shutil.rmtree(path)
    except OSError as error:
        LOG.warning("Could not remove %s: %s", path, error)


def safe_rstrip(value: Any, chars: str | None = None) -> Any:
    """Return a text without trailing characters, but never an empty one.

    What is no text comes back as it is, with a warning.
    """
    if not isinstance(value, str):
        LOG.warning("Not a text, nothing is stripped from it: %r", value)
        return value
    return value.rstrip(chars) or value


def is_name_safe(name: Any) -> bool:
    """Whether there is a name at all; magnum accepts any."""
    return bool(name)


def generate_password(length: int, symbolgroups: Sequence[str] | None = None) -> str:
    """Return a random text with a character of each group when there is room, in random order.

    Without groups: digits, capitals and small letters that cannot be mistaken for another.
    """
    groups = symbolgroups or _READABLE
    chosen = [secrets.choice(group) for group in groups][:length]
    every = "".join(groups)
    chosen += [secrets.choice(every) for _ in range(length - len(chosen))]
    secrets.SystemRandom().shuffle(chosen)
    return "".join(chosen)


def get_openstack_ca() -> str:
    """Return the contents of [drivers]openstack_ca_file, '' when it is not set.

    Raises:
        OSError: it is set and cannot be read.
    """
    path = CONF.drivers.openstack_ca_file
    if not path:
        return ""
    with open(path) as file:
        return file.read()
