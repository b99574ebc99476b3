"""Nodegroup create, update and delete."""

from __future__ import annotations

from typing import Any

from magnumlite.conductor.changes.nodegroup import Create, Delete, NodegroupChange, Update
from magnumlite.conductor.intake import Intake


class NodegroupHandler:
    """The nodegroup endpoint."""

    def __init__(self, intake: Intake) -> None:
        self._intake = intake

    def nodegroup_create(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Accept a new nodegroup."""
        return self._submit(context, Create, "nodegroup_create", cluster, nodegroup)

    def nodegroup_update(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Accept a nodegroup's changed fields."""
        return self._submit(context, Update, "nodegroup_update", cluster, nodegroup)

    def nodegroup_delete(self, context: Any, cluster: Any, nodegroup: Any) -> Any:
        """Accept a nodegroup's deletion."""
        return self._submit(context, Delete, "nodegroup_delete", cluster, nodegroup)

    def _submit(
        self, context: Any, kind: type[NodegroupChange], method: str, cluster: Any, nodegroup: Any
    ) -> Any:
        return self._intake.submit(
            context, kind(cluster, nodegroup), method, cluster=cluster, nodegroup=nodegroup
        )
