"""Casts take turns of their own, so that calls overtake them.

Casts and calls come from one queue.  Without this a read would wait until every create before it
was accepted, and an accepted create keeps the processor busy as well.
"""

from __future__ import annotations

import collections
import threading
from typing import Any

from magnumlite.rpc import consumer

#: Casts that are handled at a time: more would only take turns at the interpreter.
TURNS = 2


class Lane:
    """Messages that wait for a turn.

    They are not acknowledged: a worker that is killed leaves them with the broker.  How many
    there may be is up to the broker's prefetch count.
    """

    def __init__(self, turns: int = TURNS) -> None:
        self._lock = threading.Lock()
        self._free = turns
        self._waiting: collections.deque[Any] = collections.deque()
        self._closed = False

    def enter(self, message: Any) -> bool:
        """Take a turn for a message; False if it has to wait, or the lane is closed."""
        with self._lock:
            if self._free and not self._closed:
                self._free -= 1
                return True
            if not self._closed:
                self._waiting.append(message)
                return False
        consumer.give_back(message)
        return False

    def next(self) -> Any:
        """End the turn of one message and return the one whose turn it is now, or None."""
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._free += 1
            return None

    def close(self) -> None:
        """Give back to the broker what waits, and what comes from now on."""
        with self._lock:
            self._closed = True
            waiting, self._waiting = self._waiting, collections.deque()
        for message in waiting:
            consumer.give_back(message)
