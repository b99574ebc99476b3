"""Clusters, events and outcomes for the tests of what is shown."""

from magnumlite.sandbox.ledger import Event
from magnumlite.sandbox.scenario import Outcome
from magnumlite.sandbox.view import ClusterView, NodeGroupView


def cluster(name: str, status: str = "CREATE_COMPLETE", reason: str = "") -> ClusterView:
    groups = tuple(
        NodeGroupView(f"default-{role}", role, count, status, "")
        for role, count in (("master", 1), ("worker", 2))
    )
    return ClusterView(f"uuid-{name}", name, status, reason, "sandbox-v1", "", "", "", groups)


def event(name: str, outcome: str, action: str = "create", uuid: str = "") -> Event:
    return Event(
        at=0.0,
        event_type=f"magnum.cluster.{action}",
        outcome=outcome,
        uuid=uuid or f"uuid-{name}",
        name=name,
        status="CREATE_IN_PROGRESS",
        reason="",
    )


def outcome(name: str, step: str, ended: str, expected: str, seconds: float = 1.0) -> Outcome:
    return Outcome(name, step, expected, ended, seconds, "the cause")
