"""A failure that the driver does not explain."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from magnumlite.conductor import diagnosis, recovery
from magnumlite.db import engine, own_models
from tests.unit.conductor.conftest import House

UNHEALTHY = {"cluster": "Waiting on ['Ready']", "infrastructure": "no quota", "api": "ok"}
KNOWN = (
    "failed nodegroups: default-worker (no image); "
    "UNHEALTHY: cluster: Waiting on ['Ready']; infrastructure: no quota"
)


def ill(cluster: Any) -> None:
    """Save what shows that a cluster is in a bad way."""
    cluster.health_status, cluster.health_status_reason = "UNHEALTHY", UNHEALTHY
    cluster.save()
    workers = cluster.default_ng_worker
    workers.status, workers.status_reason = "CREATE_FAILED", "no image"
    workers.save()


def begun(house: House) -> Any:
    """Return a cluster whose driver has returned from create_cluster."""
    cluster = house.new_cluster()
    house.api.cluster_create(cluster, 1, 3, 60)
    return house.get(cluster.uuid)


def test_nothing_is_known_of_a_cluster_that_is_well(house: House) -> None:
    assert diagnosis.of(house.create()) == ""


def test_a_long_list_of_nodes_is_cut(house: House) -> None:
    cluster = house.create()
    cluster.health_status = "UNHEALTHY"
    cluster.health_status_reason = {f"node-{n:02}.Ready": "False" for n in range(40)}
    said = diagnosis.of(cluster)
    assert said.startswith("UNHEALTHY: node-00.Ready: False; node-01.Ready: False;")
    assert said.endswith("; 30 more")


def test_a_failure_without_a_reason_is_given_one(house: House) -> None:
    cluster = begun(house)

    def fail(context: Any, polled: Any) -> None:
        ill(polled)
        polled.status = "CREATE_FAILED"
        polled.save()

    house.driver.on["update_cluster_status"] = fail
    house.poll(cluster.uuid)
    row = house.get(cluster.uuid)
    assert row.status_reason == f"The driver reports CREATE_FAILED and no reason; {KNOWN}"
    assert row.default_ng_worker.status_reason == "no image"
    assert row.default_ng_master.status_reason == row.status_reason


def test_a_nodegroup_that_fails_alone_is_given_one_too(house: House) -> None:
    """As capi-helm does: the cluster is complete, a nodegroup has failed."""
    cluster = begun(house)

    def finish(context: Any, polled: Any) -> None:
        ill(polled)
        master, workers = polled.default_ng_master, polled.default_ng_worker
        master.status, workers.status, workers.status_reason = (
            "CREATE_COMPLETE",
            "CREATE_FAILED",
            None,
        )
        for nodegroup in (master, workers):
            nodegroup.save()
        polled.status = "CREATE_COMPLETE"
        polled.save()

    house.driver.on["update_cluster_status"] = finish
    house.poll(cluster.uuid)
    row = house.get(cluster.uuid)
    assert (row.status, row.status_reason) == ("CREATE_COMPLETE", None)
    assert row.default_ng_master.status_reason is None
    assert row.default_ng_worker.status_reason == (
        "The driver reports CREATE_FAILED and no reason; "
        "UNHEALTHY: cluster: Waiting on ['Ready']; infrastructure: no quota"
    )


def test_the_drivers_own_reason_stays(house: House) -> None:
    cluster = begun(house)

    def fail(context: Any, polled: Any) -> None:
        ill(polled)
        polled.status, polled.status_reason = "CREATE_FAILED", "no disk"
        polled.save()

    house.driver.on["update_cluster_status"] = fail
    house.poll(cluster.uuid)
    assert house.get(cluster.uuid).status_reason == "no disk"


def test_a_deadline_that_has_passed_tells_what_is_known(house: House) -> None:  # B06
    cluster = begun(house)
    ill(cluster)
    with engine.writer() as session:
        session.execute(sa.update(own_models.Operation).values(deadline_at=engine.seconds_ago(1)))
    assert recovery.sweep() == 1
    row = house.get(cluster.uuid)
    assert row.status == "CREATE_FAILED"
    assert row.status_reason.startswith("The create was not finished in ")
    assert row.status_reason.endswith(f"minutes; {KNOWN}")
