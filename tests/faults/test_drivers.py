"""Drivers that misbehave: each does something else, and every operation ends as it must."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from magnumlite import exception
from magnumlite.journal.entries import Outcome
from tests.faults import figures
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet

FINAL = ("RESUME_COMPLETE", "ROLLBACK_COMPLETE", "ROLLBACK_FAILED", "CHECK_COMPLETE")


@dataclasses.dataclass
class Case:
    """A cluster of a driver that misbehaves, what is asked of it, and what it comes to.

    `reason` is part of the cluster's status_reason, `outcome` that of the last operation.
    """

    script: dict[str, Any]
    status: str | None
    ask: Callable[[Caller, str], object] | None = None
    reason: str = ""
    outcome: Outcome = Outcome.SUCCEEDED
    groups: set[str | None] = dataclasses.field(default_factory=lambda: {"CREATE_COMPLETE"})
    driver: str = "faults"


def _delete(caller: Caller, cluster: str) -> None:
    caller.delete(cluster)


def _resize(caller: Caller, cluster: str) -> None:
    caller.resize(cluster, 7)


def _raises(name: str, text: str = "no", **more: Any) -> dict[str, Any]:
    return {"raises": {"name": name, "text": text, **more}}


CASES = {
    "B37: a reason of 100 KB, of characters with four bytes": Case(
        {"create": _raises("RuntimeError", "\U0001f680", times=25_000)},
        "CREATE_FAILED",
        outcome=Outcome.FAILED,
        reason="\ufffd",
        groups={"CREATE_FAILED"},
    ),
    "a create that exits": Case(
        {"create": _raises("SystemExit")},
        "CREATE_FAILED",
        outcome=Outcome.FAILED,
        reason="SystemExit",
        groups={"CREATE_FAILED"},
    ),
    "a create without a reason": Case(
        {"create": _raises("RuntimeError", "")},
        "CREATE_FAILED",
        outcome=Outcome.FAILED,
        reason="RuntimeError",
        groups={"CREATE_FAILED"},
    ),
    "B56: None in a list of addresses": Case({"poll": {"addresses": [None]}}, "CREATE_COMPLETE"),
    "B34: nodegroups left in progress": Case(
        {"poll": {"groups": "left"}},
        "CREATE_COMPLETE",
        groups={"CREATE_IN_PROGRESS"},
        driver="faults_groups",
    ),
    "everything is finished when the call returns": Case(
        {"create": {"finish": True}}, "CREATE_COMPLETE"
    ),
    "B35: a resize that finishes before it returns": Case(
        {"resize": {"finish": True}},
        "UPDATE_COMPLETE",
        _resize,
        groups={"CREATE_COMPLETE", "UPDATE_COMPLETE"},
    ),
    "B64: a request that was wrong": Case(
        {"resize": _raises("InvalidParameterValue")},
        "CREATE_COMPLETE",
        _resize,
        outcome=Outcome.REFUSED,
    ),
    "B64: a code of 400": Case(
        {"resize": _raises("Bad", code=400)},
        "CREATE_COMPLETE",
        _resize,
        outcome=Outcome.REFUSED,
    ),
    "a code of 500": Case(
        {"resize": _raises("Bad", "boom", code=500)},
        "UPDATE_FAILED",
        _resize,
        outcome=Outcome.FAILED,
        reason="boom",
        groups={"CREATE_COMPLETE", "UPDATE_FAILED"},
    ),
    "B15: nothing left to delete": Case(
        {"delete": _raises("HTTPNotFound")}, None, _delete, groups=set()
    ),
    "B15: nothing left, by its code": Case(
        {"delete": _raises("Gone", code=404)}, None, _delete, groups=set()
    ),
    "B15: a delete that is busy": Case(
        {"delete": _raises("Busy", code=409)}, "CREATE_COMPLETE", _delete, outcome=Outcome.REFUSED
    ),
    "a delete that fails": Case(
        {"delete": _raises("RuntimeError", "boom")},
        "DELETE_FAILED",
        _delete,
        outcome=Outcome.FAILED,
        reason="boom",
    ),
    "B38: the user is gone": Case(
        {"delete": _raises("Unauthorized", code=401, tenant=True)}, None, _delete, groups=set()
    ),
    "B53: a clean-up that hangs": Case({"pre_delete": {"hang": True}}, None, _delete, groups=set()),
    "B53: a clean-up that fails": Case(
        {"pre_delete": _raises("RuntimeError")}, None, _delete, groups=set()
    ),
    "B28, B69: a driver that does not import": Case(
        {},
        "CREATE_FAILED",
        outcome=Outcome.FAILED,
        reason="faults_driver_with_a_missing_library",
        groups={"CREATE_FAILED"},
        driver="broken",
    ),
    "B29: a driver that is gone": Case(
        {},
        "DELETE_FAILED",
        _delete,
        outcome=Outcome.FAILED,
        reason="gone",
        groups={"CREATE_FAILED"},
        driver="gone",
    ),
    **{
        f"B43: {status}": Case(
            {"poll": {"status": status}},
            status,
            outcome=Outcome.SUCCEEDED if status.endswith("COMPLETE") else Outcome.FAILED,
        )
        for status in FINAL
    },
}


@pytest.mark.timeout(600)
def test_drivers_that_misbehave(start_fleet: StartFleet, caller: Caller) -> None:
    """Every one on the same two hosts: none may hurt its neighbours."""
    fleet = start_fleet("alpha", "beta", conductor__pre_delete_timeout="2")
    templates = {
        name: caller.new_template(name) for name in {case.driver for case in CASES.values()}
    }
    clusters = {
        name: caller.create(templates[case.driver], **case.script) for name, case in CASES.items()
    }
    # Nodegroups that no poll ever ends stay as they are; see below.
    left = {clusters["B34: nodegroups left in progress"]}
    assert not figures.settle(caller.sent, apart_from=left)
    for name, case in CASES.items():
        if case.ask is not None:
            case.ask(caller, clusters[name])
    stuck = figures.settle(caller.sent, apart_from=left)
    figures.report(
        "drivers that misbehave", figures.of(caller.sent, fleet, stuck=stuck), kinds=len(CASES)
    )
    outcomes = {row.cluster_uuid: row.outcome for row in figures.journal()}
    found = {name: (_state(caller, clusters[name]), outcomes[clusters[name]]) for name in CASES}
    assert found == {
        name: ((case.status, case.groups), case.outcome.value) for name, case in CASES.items()
    }
    for name, case in CASES.items():
        if case.reason:
            assert case.reason in str(caller.get(clusters[name]).status_reason), name


def _state(caller: Caller, cluster: str) -> tuple[str | None, set[str | None]]:
    """Return the cluster's status, None when it is gone, and those of its nodegroups."""
    try:
        found = caller.get(cluster)
    except exception.ClusterNotFound:
        return None, set()
    return found.status, {group.status for group in found.nodegroups}
