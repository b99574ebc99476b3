"""The fence of a watched call, with a database behind it."""

from typing import Any

import pytest

from magnumlite import exception, objects
from magnumlite.db import fence
from magnumlite.sandbox.conformance.watching import WatchingFence
from magnumlite.sandbox.conformance.witness import job_of
from tests.unit.sandbox.conformance.samples import saved_cluster


@pytest.fixture
def cluster(database: str, context: Any) -> Any:
    return saved_cluster(context)


def test_saves_are_noted_with_what_is_withheld(cluster: Any) -> None:
    job = job_of(cluster)
    watching = WatchingFence(job)
    with fence.holding(watching):
        cluster.status = "UPDATE_COMPLETE"  # B34: not while a nodegroup is in progress
        cluster.api_address = "https://192.0.2.1"
        cluster.save()

    (save,) = watching.saves
    assert (save.table, save.cluster_uuid, save.refused) == ("cluster", cluster.uuid, False)
    assert save.values == {"status": "UPDATE_COMPLETE", "api_address": "https://192.0.2.1"}
    assert job.withheld == {"status": "UPDATE_COMPLETE"}
    assert job.writes == 1


def test_overtaken_nothing_of_the_cluster_is_written(cluster: Any, context: Any) -> None:
    watching = WatchingFence(job_of(cluster), overtaken=True)
    workers = cluster.default_ng_worker
    with fence.holding(watching):
        workers.node_count = 7
        with pytest.raises(exception.ClaimLost):
            workers.save()
        with pytest.raises(exception.ClaimLost):
            cluster.default_ng_worker.destroy()
        cluster.status_reason = "x"
        with pytest.raises(exception.ClaimLost):
            cluster.save()

    assert [(save.table, save.values, save.refused) for save in watching.saves] == [
        ("nodegroup", {"node_count": 7}, True),
        ("nodegroup", {}, True),
        ("cluster", {"status_reason": "x"}, True),
    ]
    row = objects.Cluster.get_by_uuid(context, cluster.uuid)
    assert (row.status_reason, row.default_ng_worker.node_count) == (None, 1)


def test_rows_of_other_clusters_are_noted_as_such(cluster: Any, context: Any) -> None:
    other = saved_cluster(context, "c2")
    watching = WatchingFence(job_of(cluster), overtaken=True)
    with fence.holding(watching):
        other.status_reason = "x"
        other.save()
    assert [(save.cluster_uuid, save.refused) for save in watching.saves] == [(other.uuid, False)]
