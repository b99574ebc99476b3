from typing import Any

import pytest

from magnumlite import objects
from magnumlite.sandbox.conformance import rows
from tests.unit.sandbox.conformance.samples import saved_cluster


@pytest.fixture
def cluster(database: str, context: Any) -> Any:
    return saved_cluster(context)


def test_what_differs_is_told_with_row_and_owner(cluster: Any) -> None:
    before = rows.take()
    cluster.status_reason = "tired"
    cluster.save()
    workers = cluster.default_ng_worker
    workers.node_addresses = ["192.0.2.1"]
    workers.save()

    told = [(c.table, c.row, c.field, c.after) for c in rows.differences(before, rows.take())]

    assert told == [
        ("cluster", "c1", "status_reason", "tired"),
        ("nodegroup", "default-worker", "node_addresses", ["192.0.2.1"]),
    ]
    assert {c.cluster_uuid for c in rows.differences(before, rows.take())} == {cluster.uuid}


def test_rows_that_come_and_go_are_told_whole(cluster: Any) -> None:
    before = rows.take()
    cluster.default_ng_worker.destroy()
    gone = rows.differences(before, rows.take())
    back = rows.differences(rows.take(), before)

    assert [str(change) for change in gone] == ["nodegroup default-worker deleted"]
    assert [str(change) for change in back] == ["nodegroup default-worker inserted"]


def test_saving_the_same_again_is_no_difference(cluster: Any, context: Any) -> None:
    before = rows.take()
    again = objects.Cluster.get_by_uuid(context, cluster.uuid)
    again.status_reason = again.status_reason
    again.save()
    assert rows.differences(before, rows.take()) == []


def test_rows_are_counted(cluster: Any) -> None:
    assert rows.count() == {"cluster": 1, "nodegroup": 2, "x509keypair": 0}


def test_values_are_shown_in_a_line() -> None:
    assert rows.short("x") == "'x'"
    assert len(rows.short("x" * 500)) == 60
    assert rows.short("x" * 500).endswith("...")


def test_plain_values_do_not_hold_their_object(cluster: Any) -> None:
    assert type(rows.plain(cluster.labels)) is dict
    assert rows.plain(cluster.labels) == cluster.labels
