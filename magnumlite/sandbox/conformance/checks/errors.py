"""Do errors say what they mean to the conductor?"""

from __future__ import annotations

from collections.abc import Iterator

from magnumlite.sandbox.conformance.checks.statuses import ILLEGAL
from magnumlite.sandbox.conformance.record import Call, Failure, Phase, Record
from magnumlite.sandbox.conformance.report import Finding, Verdict, failure, remark

QUESTION = "errors mean what the interface says: not supported, gone already, busy"

_PHASES = (Phase.OPERATION, Phase.POLL, Phase.REPEAT, Phase.REST, Phase.AGAIN)


def check(record: Record) -> list[Finding] | Verdict:
    """Look at every error that the driver raised in an operation or a poll."""
    if not record.calls:
        return Verdict.UNTRIED
    return [
        finding
        for call in record.of(*_PHASES)
        if call.error is not None
        for finding in _judge(call, call.error)
    ]


def _judge(call: Call, error: Failure) -> Iterator[Finding]:
    if error.overtaken or ILLEGAL.fullmatch(error.text):
        return
    if not error.ordinary:
        yield failure(
            f"{call.method} raised {error.kind}",
            "Raise exceptions only: this one would end the thread or the process.",
        )
    elif "NotImplementedError" in error.kinds and call.method != "rotate_credential":
        yield failure(
            f"{call.method} raised NotImplementedError",
            "Raise magnum.common.exception.NotSupported: that leaves the cluster as it is.",
        )
    elif call.phase is Phase.AGAIN:
        busy = error.code == 409 or "OperationInProgress" in error.kinds
        if not error.gone and not busy:
            yield failure(
                f"{call.method}, called once more while it was under way, raised {error}",
                "Return when it is under way already, or raise an error with code 404 or 409.",
            )
    elif call.is_poll:
        yield failure(
            f"update_cluster_status raised {error}",
            "Set a failed status with the cause if the cloud said so, and save it.",
        )
    elif call.method in ("get_scale_manager", "get_monitor"):
        yield failure(f"{call.method} raised {error}", "Return None if there is none.")
    elif call.method == "pre_delete_cluster":
        yield remark(
            f"pre_delete_cluster raised {error}",
            "It does not stop the deletion; what was not removed is left in the cloud.",
        )
    elif error.text == error.kind:
        yield remark(
            f"{call.method} raised {error.kind} without a text",
            "The text becomes the reason that operators read: say what failed and why.",
        )
