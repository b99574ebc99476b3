"""What a simulated operation is told to do: [simulated] options and simulated_* labels."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from magnumlite import exception
from magnumlite.conf import CONF


class Simulated(Exception):
    """An error that the simulated driver was told to raise."""


class Script:
    """The orders for one cluster, or for one of its nodegroups.

    Labels win over options, and the labels of the nodegroup over those of the cluster. Times are
    seconds; a label that is no number counts as absent.
    """

    def __init__(self, *labels: Mapping[str, str] | None) -> None:
        self._labels: dict[str, str] = {}
        for each in labels:
            self._labels.update(each or {})

    @classmethod
    def of(cls, cluster: Any, nodegroup: Any = None) -> Script:
        """Return the orders for `nodegroup` of `cluster`, or for the cluster itself."""
        return cls(cluster.labels, nodegroup.labels if nodegroup is not None else None)

    @property
    def delay(self) -> float:
        """Seconds from the call of an operation to its end."""
        return self._seconds("delay")

    @property
    def health(self) -> str:
        """How the cluster's API answers: ok, unready, down or silent."""
        return self._labels.get("simulated_health", str(CONF.simulated.health))

    def ends_in_failure(self, operation: str) -> bool:
        """Tell whether an operation that was accepted has to fail."""
        return self._names("fail_late", operation)

    def play(self, operation: str) -> None:
        """Be the call of `operation`: take its time, hang or raise as told.

        Raises:
            Simulated: the operation was told to fail.
            NotSupported: it was told to be unsupported (NotImplementedError for
                rotate_credential, as the base driver does).
        """
        if self._names("unsupported", operation):
            if operation == "rotate_credential":
                raise NotImplementedError("simulated: no rotate_credential")
            raise exception.NotSupported(f"simulated: no {operation}")
        time.sleep(self._seconds("poll_delay" if operation == "poll" else "call_delay"))
        if self._names("hang", operation):
            time.sleep(CONF.simulated.hang_for)
        if self._names("fail", operation):
            raise Simulated(f"simulated: {operation} was told to fail")

    def _names(self, order: str, operation: str) -> bool:
        label = self._labels.get(f"simulated_{order}")
        told = label.split(",") if label is not None else CONF.simulated[order]
        return operation in (name.strip() for name in told)

    def _seconds(self, order: str) -> float:
        try:
            return max(0.0, float(self._labels[f"simulated_{order}"]))
        except (KeyError, ValueError):
            return float(CONF.simulated[order])
