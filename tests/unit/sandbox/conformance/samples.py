"""A cluster with its nodegroups in the database, and records for the checks."""

from __future__ import annotations

import uuid
from typing import Any

from magnumlite import objects
from magnumlite.sandbox.conformance.record import Call, Phase, Record, Sight, Step


def saved_cluster(context: Any, name: str = "c1") -> Any:
    cluster = objects.Cluster(
        context,
        uuid=str(uuid.uuid4()),
        name=name,
        project_id=context.project_id,
        user_id=context.user_id,
        cluster_template_id=str(uuid.uuid4()),
        labels={"a": "b"},
        status="UPDATE_IN_PROGRESS",
        stack_id="s",
    )
    cluster.create()
    for role in ("master", "worker"):
        objects.NodeGroup(
            context,
            uuid=str(uuid.uuid4()),
            name=f"default-{role}",
            cluster_id=cluster.uuid,
            project_id=context.project_id,
            labels={},
            role=role,
            node_count=1,
            is_default=True,
            status="UPDATE_IN_PROGRESS",
        ).create()
    return cluster


def record(*calls: Call, steps: tuple[Step, ...] = ()) -> Record:
    made = Record("d", "m.Driver", slow=1.0)
    made.calls, made.steps = list(calls), list(steps)
    return made


def call(
    method: str = "update_cluster_status", phase: Phase = Phase.POLL, step: str = "update"
) -> Call:
    return Call(method, phase, step, "uuid", thread=1, instance=1)


def step(name: str, *sights: Sight | None, **fields: Any) -> Step:
    return Step(name, tried=True, sights=list(sights), **fields)


def sight(status: str, **nodegroups: str) -> Sight:
    return Sight(status, nodegroups)
