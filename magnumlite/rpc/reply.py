"""Replies that come later than their handler returns.

A handler that hands its work to the operation pool returns a Later.  No thread waits for it: the
reply is sent by whoever finishes the work, or by the clock when the caller's patience is nearly
over (DESIGN section 4, "Calls"; known defect B32).
"""

from __future__ import annotations

import contextvars
import heapq
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from oslo_log import log as logging

LOG = logging.getLogger(__name__)

_EXPECTED: contextvars.ContextVar[bool] = contextvars.ContextVar("reply_expected", default=True)
_MESSAGE: contextvars.ContextVar[str | None] = contextvars.ContextVar("message", default=None)


def expected() -> bool:
    """Tell whether somebody waits for the result of the message that is handled (a call)."""
    return _EXPECTED.get()


def message_id() -> str | None:
    """Return what the broker's copies of the message that is handled have in common."""
    return _MESSAGE.get()


def handling(call: bool, message: str | None = None) -> None:
    """Note, for this thread, whether the message that is handled is a call, and which one."""
    _EXPECTED.set(call)
    _MESSAGE.set(message)


class Later:
    """The result of a handler, known later.

    `future` ends with the result or the error.  After `seconds` without either, `instead` is
    called and what it returns is the reply.
    """

    def __init__(self, future: Future[Any], seconds: float, instead: Callable[[], Any]) -> None:
        self._future = future
        self._until = time.monotonic() + seconds
        self._instead = instead

    def then(self, send: Callable[[Any, BaseException | None], None], clock: Clock) -> None:
        """Call ``send(result, error)`` exactly once, from some other thread."""
        once = threading.Lock()

        def finished(future: Future[Any]) -> None:
            if once.acquire(blocking=False):
                error = future.exception()
                send(None if error else future.result(), error)

        def overdue() -> None:
            if not self._future.done() and once.acquire(blocking=False):
                try:
                    answer = self._instead()
                except Exception as error:
                    send(None, error)
                else:
                    send(answer, None)

        clock.at(self._until, overdue)
        self._future.add_done_callback(finished)


class Clock:
    """One thread that calls functions at their time."""

    def __init__(self) -> None:
        self._due: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0
        self._changed = threading.Condition()
        self._stopped = False
        self._thread: threading.Thread | None = None

    def at(self, moment: float, function: Callable[[], None]) -> None:
        """Call `function` when time.monotonic() reaches `moment`."""
        with self._changed:
            self._count += 1
            heapq.heappush(self._due, (moment, self._count, function))
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="reply-clock", daemon=True)
                self._thread.start()
            self._changed.notify()

    def stop(self) -> None:
        """Call what is left at once and end the thread."""
        with self._changed:
            self._stopped = True
            self._changed.notify()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _run(self) -> None:
        while True:
            with self._changed:
                while not self._ready():
                    if not self._due and self._stopped:
                        return
                    left = self._due[0][0] - time.monotonic() if self._due else None
                    self._changed.wait(left)
                _, _, function = heapq.heappop(self._due)
            try:
                function()
            except Exception:
                LOG.exception("A reply that was due could not be sent")

    def _ready(self) -> bool:
        return bool(self._due) and (self._stopped or self._due[0][0] <= time.monotonic())
