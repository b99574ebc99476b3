"""The operation pool: claims whose answer was lost, operations that nobody works on."""

from __future__ import annotations

from typing import Any

import pytest
from oslo_db import exception as db_exc

from magnumlite.conductor.operation import Operation
from magnumlite.db import engine, own_models
from magnumlite.journal import claims
from tests.unit.conductor.conftest import House


def _row(cluster: Any) -> own_models.Operation:
    with engine.reader() as session:
        row: own_models.Operation = (
            session.query(own_models.Operation).filter_by(cluster_uuid=cluster.uuid).one()
        )
        session.expunge(row)
        return row


def test_a_claim_whose_answer_was_lost_is_begun(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim, lost = claims.claim, []

    def answer_lost(*arguments: Any) -> bool:
        taken = claim(*arguments)
        if not lost:
            lost.append(arguments)
            raise db_exc.DBConnectionError
        return taken

    monkeypatch.setattr(claims, "claim", answer_lost)
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: house.driver.names() == ["create_cluster"])
    house.until(lambda: _row(cluster).released_at)
    assert len(lost) == 1


def test_a_claim_that_no_thread_works_on_is_left_to_recovery(
    house: House, conf: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    conf.set_override("heartbeat_interval", 1, "journal")
    kept = []
    renew = claims.renew
    monkeypatch.setattr(
        claims, "renew", lambda process, forsaken=(): kept.append(set(forsaken)) or renew(process)
    )
    # Not even the end of it can be written.
    monkeypatch.setattr(Operation, "run", lambda self: None)
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: kept and _row(cluster).id in kept[-1])


def test_a_driver_that_exits_ends_its_operation_only(house: House) -> None:
    def leave(*args: Any) -> None:
        raise SystemExit(1)

    house.driver.on["create_cluster"] = leave
    cluster = house.new_cluster()
    house.api.cluster_create_async(cluster, 1, 3, 60)
    house.until(lambda: house.get_status(cluster.uuid) == "CREATE_FAILED")
    assert "SystemExit" in house.get(cluster.uuid).status_reason
    del house.driver.on["create_cluster"]
    house.create()
