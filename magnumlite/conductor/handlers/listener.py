"""The liveness probe."""

from __future__ import annotations

from typing import Any


class ListenerHandler:
    """The listener endpoint."""

    def ping_conductor(self, context: Any) -> bool:
        """Return True: a conductor answers."""
        return True
