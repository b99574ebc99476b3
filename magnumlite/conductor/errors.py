"""What an error of a driver means for the operation.

Drivers raise their own classes and those of the clients they use; what counts is the HTTP-like
code they carry and, for "not found", the class's name (known defects B15, B64).
"""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path

from oslo_db import exception as db_exc
from oslo_log import log as logging

from magnumlite import exception

LOG = logging.getLogger(__name__)

#: Not found are things that a cluster uses: what was to be deleted may well be there.
_USED = (
    exception.ClusterTemplateNotFound,
    exception.ExternalNetworkNotFound,
    exception.FixedNetworkNotFound,
    exception.FixedSubnetNotFound,
    exception.FlavorNotFound,
    exception.ImageNotFound,
    exception.KeyPairNotFound,
    exception.OSDistroFieldNotFound,
    exception.ProjectNotFound,
    exception.QuotaNotFound,
    exception.VolumeTypeNotFound,
    exception.X509KeyPairNotFound,
)

#: The same by name: a service that the catalogue lacks, in keystoneauth.
_USED_NAMES = frozenset({"EndpointNotFound", "ServiceNotFound"})

#: Errors in a program, whose texts say little to who has not written it.
_BUGS = (AssertionError, AttributeError, LookupError, NameError, TypeError)

#: A request that was wrong from the start: nothing has been changed for it (known defect B64).
_VALIDATION = range(400, 410)


@contextlib.contextmanager
def contained() -> Iterator[None]:
    """Let a driver that wants to end its thread or the process only fail."""
    try:
        yield
    except Exception:
        raise
    except BaseException as error:
        raise RuntimeError(f"The driver raised {type(error).__name__}: {error}") from error


def code(error: BaseException) -> int | None:
    """Return the HTTP-like code of an error: code, status_code, http_status or status."""
    for name in ("code", "status_code", "http_status", "status"):
        value = getattr(error, name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
    return None


def gone(error: BaseException) -> bool:
    """Tell whether an error of a delete says that there is nothing left (known defect B15).

    One that says that a network, an image or the like is missing does not: magnum-capi-helm looks
    them up also when it removes a nodegroup.
    """
    names = {base.__name__ for base in type(error).__mro__}
    if isinstance(error, _USED) or names & _USED_NAMES:
        return False
    return code(error) == 404 or any(name.endswith("NotFound") for name in names)


def conflict(error: BaseException) -> bool:
    """Tell whether an error says that the driver is busy with the cluster."""
    return code(error) == 409 and not isinstance(error, exception.ClaimLost)


def unauthorised(error: BaseException) -> bool:
    """Tell whether the user's rights are gone, as after a removal in Keystone (B38)."""
    return code(error) in (401, 403) or isinstance(error, exception.AuthorizationFailure)


def harmless(error: BaseException, *, entered: bool, wrote: bool) -> bool:
    """Tell whether an error came before any change, so that the cluster's state stands.

    Before the driver was entered every refusal is; after it those that say "not supported", or
    that carry a code of 400 to 409 while the driver has saved nothing.
    """
    if not isinstance(error, exception.MagnumException):
        return entered and not wrote and code(error) in _VALIDATION
    if isinstance(error, exception.NotSupported):
        return True
    return code(error) in _VALIDATION and not wrote


def reason(error: BaseException) -> str:
    """Return the text of an error for people: never empty, never a traceback.

    That of a bug names its class and where it happened: "'id'" alone helps nobody.
    """
    try:
        text = str(error).strip()
    except Exception as unreadable:
        LOG.debug("The text of a %s cannot be read: %r", type(error).__name__, unreadable)
        text = ""
    if isinstance(error, db_exc.DBError):
        # The statement and its values, secrets among them, begin on the second line.
        text = text.partition("\n")[0]
    if not isinstance(error, _BUGS):
        return text or type(error).__name__
    said = f"{type(error).__name__}: {text}".removesuffix(": ")
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return said
    last = frames[-1]
    return f"{said} (in {last.name}, {Path(last.filename).name} line {last.lineno})"
