"""What the witness writes down of a call."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from magnumlite import exception, objects
from magnumlite.sandbox.conformance.record import Phase
from magnumlite.sandbox.conformance.witness import METHODS, Witness, again
from tests.unit.sandbox.conformance.samples import saved_cluster


class Driver:
    """Does what a test puts into `on`."""

    def __init__(self, on: Any) -> None:
        self.on = on

    def update_cluster(self, context: Any, cluster: Any) -> Any:
        return self.on(context, cluster)


for _name in METHODS:
    setattr(Driver, _name, Driver.update_cluster)


@pytest.fixture
def cluster(database: str, context: Any) -> Any:
    return saved_cluster(context)


def watch(cluster: Any, on: Any, method: str = "update_cluster") -> Any:
    witness = Witness()
    driver = witness.stands_before(Driver)(on)
    with witness.listening(), contextlib.suppress(Exception):
        getattr(driver, method)(cluster._context, cluster)
    (call,) = witness.calls
    return call


def test_it_is_still_the_drivers_class(cluster: Any) -> None:
    made = Witness().stands_before(Driver)
    assert issubclass(made, Driver)
    assert (made.__qualname__, made.__module__) == (Driver.__qualname__, Driver.__module__)
    assert made(lambda context, cluster: 7).update_cluster(None, cluster) == 7


def test_errors_go_on_to_the_conductor(cluster: Any) -> None:
    def refuse(context: Any, cluster: Any) -> None:
        raise exception.NotSupported("no")

    witness = Witness()
    with pytest.raises(exception.NotSupported):
        witness.stands_before(Driver)(refuse).update_cluster(None, cluster)
    error = witness.calls[0].error
    assert error is not None
    assert error.unsupported
    assert str(error) == "NotSupported: no"


def test_a_call_inside_a_call_is_part_of_it(cluster: Any) -> None:
    witness = Witness()
    made = witness.stands_before(Driver)
    inner = made(lambda context, cluster: None)
    outer = made(lambda context, cluster: inner.update_cluster_status(context, cluster))
    with witness.during(Phase.REST, "create"):
        outer.update_cluster(cluster._context, cluster)
    assert [(c.method, c.phase, c.step) for c in witness.calls] == [
        ("update_cluster", Phase.REST, "create")
    ]


def test_a_field_left_behind_is_stale(cluster: Any) -> None:
    def save(context: Any, given: Any) -> None:
        own = objects.Cluster.get_by_uuid(context, given.uuid)
        own.stack_id, own.coe_version = "s-2", "v1"
        own.save()
        given.coe_version = "v1"

    assert watch(cluster, save).stale == [("Cluster", "stack_id", "s", "s-2")]


def test_a_saved_field_is_not_stale_though_the_column_cut_it(cluster: Any) -> None:
    def save(context: Any, given: Any) -> None:
        given.status_reason = "x" * 100_000
        given.save()

    call = watch(cluster, save)
    assert call.stale == []
    assert len(call.saves[0].values["status_reason"]) == 100_000


def test_what_is_set_and_not_saved_is_told(cluster: Any) -> None:
    call = watch(cluster, lambda context, given: setattr(given, "stack_id", "s-2"))
    assert (call.unsaved, call.changes, call.stale) == ({"stack_id": "s-2"}, [], [])


def test_labels_changed_in_place_are_a_trespass(cluster: Any) -> None:
    call = watch(cluster, lambda context, given: given.labels.update(mine="1"))
    assert call.trespasses == [("Cluster", "labels", {"a": "b"}, {"a": "b", "mine": "1"})]


def test_none_among_addresses_is_heard(cluster: Any) -> None:
    def save(context: Any, given: Any) -> None:
        given.default_ng_worker.node_addresses = ["192.0.2.1", None]

    assert watch(cluster, save).nones == {"node_addresses"}


def test_objects_that_outlive_their_poll_are_told(cluster: Any, admin: Any) -> None:
    witness, kept = Witness(), []
    keeping = witness.stands_before(Driver)(lambda context, given: kept.append(given))
    again(cluster.uuid, keeping.update_cluster_status)
    assert witness.kept() == {"update_cluster_status": {"Cluster"}}
    kept.clear()
    assert witness.kept() == {}


def test_in_a_crowd_tables_are_not_compared(cluster: Any) -> None:
    witness = Witness()
    witness.crowd = True

    def save(context: Any, given: Any) -> None:
        given.stack_id = "s-2"
        given.save()

    witness.stands_before(Driver)(save).update_cluster(cluster._context, cluster)
    (call,) = witness.calls
    assert (call.changes, len(call.saves)) == ([], 1)
