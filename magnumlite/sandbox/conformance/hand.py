"""A thread that does what it is told, one thing after the other, and may be left hanging."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


class Hung(Exception):
    """What was to be done has not come to an end in time."""


class Hand:
    """One thread: whatever a driver keeps for a thread is there again the next time."""

    def __init__(self, name: str) -> None:
        """Start it. It ends with the process if it hangs."""
        self._work: queue.SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None]
        self._work = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def begin(self, work: Callable[[], Any]) -> Future[Any]:
        """Have something done; the future has its result."""
        future: Future[Any] = Future()
        self._work.put((work, future))
        return future

    def do(self, work: Callable[[], Any], seconds: float) -> Any:
        """Have something done and wait for it.

        Raises:
            Hung: it takes longer. The hand is then of no use any more.
            BaseException: whatever the work raised.
        """
        return wait(self.begin(work), seconds)

    def close(self) -> None:
        """End the thread when it has done what it was told."""
        self._work.put(None)

    def _run(self) -> None:
        while (told := self._work.get()) is not None:
            work, future = told
            try:
                future.set_result(work())
            except BaseException as error:
                # Handed to whoever waits: a driver may raise SystemExit.
                future.set_exception(error)
            del told, work, future


def wait(future: Future[Any], seconds: float) -> Any:
    """Return a future's result.

    Raises:
        Hung: it has none after `seconds`.
    """
    try:
        return future.result(seconds)
    except TimeoutError:
        if future.done():
            raise
        raise Hung(f"no end after {seconds:g} s") from None
