"""The checks' rules that the planted faults do not reach."""

from __future__ import annotations

from typing import Any

import pytest

from magnumlite import exception
from magnumlite.sandbox.conformance.checks import (
    addresses,
    errors,
    fences,
    idempotence,
    neighbours,
    reasons,
    saves,
    statuses,
    threads,
)
from magnumlite.sandbox.conformance.record import Failure, Phase, Record, Save
from magnumlite.sandbox.conformance.report import Verdict
from magnumlite.sandbox.conformance.rows import Change
from tests.unit.sandbox.conformance.samples import call, record, sight, step


def change(field: str, before: Any, after: Any, table: str = "cluster", of: str = "uuid") -> Change:
    return Change(table, of, "c1", field, before, after)


def whats(answer: Any) -> list[str]:
    return [finding.what for finding in answer]


def test_without_calls_nothing_is_judged() -> None:
    for check in (addresses, errors, fences, idempotence, neighbours, reasons, saves, threads):
        assert check.check(record()) is Verdict.UNTRIED, check


def test_a_final_status_that_goes_back_is_wrong() -> None:
    seen = step(
        "update",
        sight("UPDATE_IN_PROGRESS"),
        sight("UPDATE_COMPLETE"),
        sight("UPDATE_IN_PROGRESS"),
        sight("UPDATE_COMPLETE"),
    )
    assert whats(statuses.check(record(steps=(seen,)))) == [
        "update: a poll put UPDATE_COMPLETE back to UPDATE_IN_PROGRESS"
    ]


def test_a_rollback_is_an_end_of_an_update_and_of_nothing_else() -> None:
    begun = sight("UPDATE_IN_PROGRESS")
    update = step("update", begun, sight("ROLLBACK_COMPLETE"))
    assert statuses.check(record(steps=(update,))) == []
    create = step("create", sight("CREATE_IN_PROGRESS"), sight("ROLLBACK_COMPLETE"))
    assert whats(statuses.check(record(steps=(create,)))) == ["create ended in ROLLBACK_COMPLETE"]


def test_a_nodegroup_ends_what_it_was_at() -> None:
    seen = step(
        "nodegroup create",
        sight("UPDATE_IN_PROGRESS", extra="CREATE_IN_PROGRESS", workers="UPDATE_COMPLETE"),
        sight("UPDATE_COMPLETE", extra="UPDATE_COMPLETE", workers="CREATE_COMPLETE"),
    )
    assert whats(statuses.check(record(steps=(seen,)))) == [
        "nodegroup create: nodegroup extra went from CREATE_IN_PROGRESS to UPDATE_COMPLETE"
    ]


def test_progress_between_two_polls_is_no_unrest() -> None:
    forward, restless = call(phase=Phase.REPEAT), call(phase=Phase.REPEAT)
    forward.changes = [
        change("status", "CREATE_IN_PROGRESS", "CREATE_COMPLETE", "nodegroup"),
        change("stack_id", "a", "b"),
    ]
    restless.changes = [change("stack_id", "a", "b"), change("api_address", None, "https://x")]
    rest = call(phase=Phase.REST)
    assert idempotence.check(record(forward, forward, rest)) == []
    # Once may be the cloud's doing.
    assert idempotence.check(record(restless, rest)) == []
    assert whats(idempotence.check(record(restless, restless, rest))) == [
        "polls in progress changed a value again and again, 2 times cluster.stack_id: 'a' -> 'b'"
    ]


def test_a_status_that_is_set_at_rest_and_not_saved_is_told() -> None:
    rest = call(phase=Phase.REST)
    rest.unsaved = {"status": "CREATE_COMPLETE"}
    assert "cluster.status: set to 'CREATE_COMPLETE'" in whats(idempotence.check(record(rest)))[0]


@pytest.mark.parametrize(
    "error",
    [
        exception.ClusterNotFound(cluster="x"),
        exception.OperationInProgress(cluster_name="x"),
        type("HTTPNotFound", (Exception,), {})("gone"),
    ],
)
def test_a_second_delete_may_say_gone_or_busy(error: Exception) -> None:
    again = call("delete_cluster", Phase.AGAIN, "delete")
    again.error = Failure.of(error)
    assert errors.check(record(again)) == []


def test_rotate_credential_may_be_not_implemented() -> None:
    rotate = call("rotate_credential", Phase.OPERATION)
    rotate.error = Failure.of(NotImplementedError("no"))
    assert errors.check(record(rotate)) == []


def test_an_error_without_a_text_is_advised_on() -> None:
    create = call("create_cluster", Phase.OPERATION)
    create.error = Failure.of(RuntimeError())
    (finding,) = errors.check(record(create))
    assert finding.verdict is Verdict.ADVICE
    assert finding.what == "create_cluster raised RuntimeError without a text"


def test_being_overtaken_is_no_error() -> None:
    poll = call(phase=Phase.POLL)
    poll.error = Failure.of(exception.ClaimLost(cluster_uuid="x"))
    assert errors.check(record(poll)) == []


def test_where_no_save_was_refused_the_fence_was_not_tried() -> None:
    poll, overtaken = call(phase=Phase.POLL), call(phase=Phase.OVERTAKEN)
    poll.saves = [Save("cluster", "uuid", {"status": "UPDATE_COMPLETE"})]
    assert fences.check(record(poll, overtaken)) is Verdict.UNTRIED
    # A driver that leaves all saving to the conductor has nothing to be refused.
    poll.saves = []
    assert fences.check(record(poll, overtaken)) == []


def test_references_to_certificates_are_the_conductors() -> None:
    rotate = call("rotate_ca_certificate", Phase.OPERATION)
    rotate.changes = [change("ca_cert_ref", "a", "b")]
    (finding,) = saves.check(record(rotate))
    assert (finding.verdict, "ca_cert_ref" in finding.what) == (Verdict.ADVICE, True)


def test_only_a_final_status_behind_an_operations_back_is_a_failure() -> None:
    """The conductor puts it back in progress; what it would have saved too does no harm."""
    operation, moving, poll = (
        call("update_cluster", Phase.OPERATION),
        call("upgrade_cluster", Phase.OPERATION),
        call(),
    )
    operation.stale = poll.stale = [("Cluster", "status", "CREATE_COMPLETE", "UPDATE_COMPLETE")]
    moving.stale = [("NodeGroup", "status", "CREATE_COMPLETE", "UPDATE_IN_PROGRESS")]
    assert [f.verdict for f in saves.check(record(operation, moving, poll))] == [
        Verdict.FAIL,
        Verdict.ADVICE,
        Verdict.ADVICE,
    ]


def test_certificates_of_its_own_are_nobody_elses() -> None:
    create = call("create_cluster", Phase.OPERATION)
    create.changes = [change("", None, "row", "x509keypair", "")]
    assert neighbours.check(record(create)) == []
    create.changes = [change("hard_limit", 1, 2, "quotas", "")]
    assert whats(neighbours.check(record(create))) == ["create_cluster wrote quotas.hard_limit"]


def test_an_api_address_without_a_scheme_is_advised_on() -> None:
    poll = call()
    poll.changes = [change("api_address", None, "192.0.2.1:6443")]
    (finding,) = addresses.check(record(poll))
    assert finding.what == "update_cluster_status set api_address to '192.0.2.1:6443'"


@pytest.mark.parametrize(
    ("text", "verdict", "what"),
    [
        ("x" * 2001, Verdict.ADVICE, "has 2001 characters"),
        ("\u00e9" * 40_000, Verdict.FAIL, "has 80000 bytes"),
        ("all \U0001f680", Verdict.ADVICE, "characters that MySQL's utf8 does not hold"),
    ],
)
def test_reasons_are_weighed(text: str, verdict: Verdict, what: str) -> None:
    poll = call()
    poll.unsaved = {"status_reason": text}
    (finding,) = reasons.check(record(poll))
    assert (finding.verdict, what in finding.what) == (verdict, True)


def test_a_failure_without_a_reason_is_advised_on() -> None:
    failed = step("update", sight("UPDATE_FAILED"))
    (finding,) = reasons.check(record(call(), steps=(failed,)))
    assert finding.what == "update ended in UPDATE_FAILED without a reason"


def crowded(*crowd: Any, alone: str = "CREATE_COMPLETE") -> Record:
    made = record(call(), steps=(step("create", sight(alone)),))
    made.crowd = list(crowd)
    return made


def test_what_fails_alone_too_is_not_the_crowds_doing() -> None:
    failed = step("create", sight("CREATE_FAILED"))
    assert whats(threads.check(crowded(failed))) == ["create beside others ended in CREATE_FAILED"]
    assert threads.check(crowded(failed, alone="CREATE_FAILED")) == []


def test_threads_that_do_not_come_back_are_told() -> None:
    made = crowded(step("create", sight("CREATE_COMPLETE")))
    made.crowd_stuck = 2
    assert whats(threads.check(made)) == ["2 threads did not come back"]


def test_one_object_for_all_threads_is_advised_on() -> None:
    made = crowded(step("create", sight("CREATE_COMPLETE")))
    first, second = call(phase=Phase.CROWD), call(phase=Phase.CROWD)
    second.thread = 2
    made.calls += [first, second]
    (finding,) = threads.check(made)
    assert finding.what == "one object serves all threads"
