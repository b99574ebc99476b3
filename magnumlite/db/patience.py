"""How long work waits for a database that is away.

A request that reads gives up after a moment: its caller waits.  A job that has called a driver
must not: what it has to write decides whether the cluster ends in a final state (issue of losing
nothing; DESIGN section 4).  The patience travels with the thread.
"""

from __future__ import annotations

import contextlib
import contextvars
import time
from collections.abc import Callable, Iterator
from typing import Any

import tenacity
from oslo_db import exception as db_exc
from oslo_log import log as logging

LOG = logging.getLogger(__name__)

#: Seconds that work without a patience of its own waits: long enough for stale connections.
DEFAULT = 5.0

#: For work that must not give up: its driver call may have taken hours, and it still waits.
JOB = float("inf")

_until: contextvars.ContextVar[float | None] = contextvars.ContextVar("patience", default=None)


@contextlib.contextmanager
def of(seconds: float) -> Iterator[None]:
    """Give the block `seconds` of patience in all."""
    token = _until.set(time.monotonic() + seconds)
    try:
        yield
    finally:
        _until.reset(token)


def left() -> float:
    """Return the seconds that the current work still waits for the database."""
    until = _until.get()
    return DEFAULT if until is None else max(0.0, until - time.monotonic())


def outlast(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Call a function that may run twice, again while the database is away and patience lasts.

    Raises:
        DBConnectionError: the database was away for longer.
    """
    try:
        return function(*args, **kwargs)
    except db_exc.DBConnectionError:
        if left() <= 0:
            raise
    retrying = tenacity.Retrying(
        retry=tenacity.retry_if_exception_type(db_exc.DBConnectionError),
        wait=tenacity.wait_random_exponential(multiplier=0.2, max=5),
        stop=tenacity.stop_after_delay(left()),
        before_sleep=_tell,
        reraise=True,
    )
    return retrying(function, *args, **kwargs)


def _tell(state: tenacity.RetryCallState) -> None:
    if state.attempt_number == 3:
        LOG.warning(
            "The database is away; %s waits for it",
            getattr(state.fn, "__qualname__", "an operation"),
        )
