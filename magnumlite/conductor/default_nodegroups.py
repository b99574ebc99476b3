"""The two nodegroups every cluster is born with (contract/conductor_utils.md)."""

from __future__ import annotations

import contextlib
from typing import Any

from magnumlite import exception, objects


def build(
    context: Any, cluster: Any, template: Any, master_count: int, node_count: int
) -> list[Any]:
    """Return the unsaved default-master and default-worker of a cluster."""
    return [
        one(context, cluster, template, master_count, is_master=True),
        one(context, cluster, template, node_count, is_master=False),
    ]


def one(context: Any, cluster: Any, template: Any, node_count: int, *, is_master: bool) -> Any:
    """Return one unsaved default nodegroup.

    Its labels are a copy (known defect B55); an explicit 0 is a value, and both size labels
    count (known defect B58) if they make sense.
    """
    role = "master" if is_master else "worker"
    flavor = _given(cluster, "master_flavor_id" if is_master else "flavor_id")
    volume = _given(cluster, "docker_volume_size")
    labels = dict(_given(cluster, "labels") or {})
    nodegroup = objects.NodeGroup(
        context,
        cluster_id=cluster.uuid,
        project_id=cluster.project_id,
        labels=labels,
        node_count=node_count,
        image_id=template.image_id,
        docker_volume_size=template.docker_volume_size if volume is None else volume,
        flavor_id=flavor or (template.master_flavor_id if is_master else template.flavor_id),
        role=role,
        name=f"default-{role}",
        is_default=True,
        status="CREATE_IN_PROGRESS",
    )
    if not is_master:
        with contextlib.suppress(exception.InvalidParameterValue):
            least, most = limits(labels)
            if least is not None:
                nodegroup.min_node_count = least
            if most is not None:
                nodegroup.max_node_count = most
    return nodegroup


def limits(labels: dict[str, str]) -> tuple[int | None, int | None]:
    """Return what the labels min_node_count and max_node_count say, None where they do not.

    Raises:
        InvalidParameterValue: they make no sense.
    """
    least = _number(labels, "min_node_count")
    most = _number(labels, "max_node_count")
    if least is not None and most is not None and most < least:
        raise exception.InvalidParameterValue(
            f"Label max_node_count ({most}) is below label min_node_count ({least})"
        )
    return least, most


def _number(labels: dict[str, str], name: str) -> int | None:
    text = labels.get(name)
    if text is None:
        return None
    try:
        number = int(text)
    except ValueError:
        number = -1
    if number < 0:
        raise exception.InvalidParameterValue(
            f"Label {name} must be a whole number of at least 0, not {text!r}"
        )
    return number


def _given(cluster: Any, field: str) -> Any:
    return getattr(cluster, field) if cluster.obj_attr_is_set(field) else None
