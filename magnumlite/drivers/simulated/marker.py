"""Where the simulated driver keeps its state: in the stack_id of the cluster's row.

Every host and every later process sees it there. It reads simulated-<id>, and while an operation
runs simulated-<id>/<operation>/<seconds since the epoch when it began>.
"""

from __future__ import annotations

import dataclasses
import time
import uuid


@dataclasses.dataclass(frozen=True)
class Marker:
    """A cluster in the pretended cloud; `operation` is None while nothing runs."""

    name: str
    operation: str | None = None
    began: float = 0.0

    @classmethod
    def parse(cls, stack_id: str | None) -> Marker:
        """Read a stack_id; one that another driver wrote is a cluster where nothing runs."""
        name, *rest = (stack_id or f"simulated-{uuid.uuid4().hex[:12]}").split("/")
        try:
            operation, began = rest
            return cls(name, operation, float(began))
        except ValueError:
            return cls(name)

    def begin(self, operation: str) -> Marker:
        """Return the marker of an operation that begins now."""
        return Marker(self.name, operation, time.time())

    def end(self) -> Marker:
        """Return the marker after the operation."""
        return Marker(self.name)

    def over(self, delay: float) -> bool:
        """Tell whether an operation that takes `delay` seconds is over."""
        return self.operation is None or time.time() - self.began >= delay

    def __str__(self) -> str:
        if self.operation is None:
            return self.name
        return f"{self.name}/{self.operation}/{self.began:.3f}"
