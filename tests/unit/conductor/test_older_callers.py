"""Objects of an older magnum-api, in both directions (B59)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
from oslo_versionedobjects import base as ovo

from magnumlite import exception, objects
from magnumlite.objects.base import MagnumObjectRegistry
from magnumlite.rpc.serializers import RequestSerializer
from tests.unit.conductor.conftest import House

KINDS = {name: classes[0] for name, classes in MagnumObjectRegistry.obj_classes().items()}


def _one_down(version: str) -> str:
    major, minor = map(int, version.split("."))
    return f"{major}.{max(minor - 1, 0)}"


NOW = {name: kind.VERSION for name, kind in KINDS.items()}
ONE_DOWN = {name: _one_down(version) for name, version in NOW.items()}
#: What magnum 22.0.0 (2026.1) names in its manifests.
RELEASE_2026_1 = NOW | {"Cluster": "1.23", "NodeGroup": "1.1"}
OLDER = pytest.mark.parametrize(
    "known", [ONE_DOWN, RELEASE_2026_1], ids=["one version down", "2026.1"]
)


def on_wire(value: Any) -> Any:
    return json.loads(json.dumps(RequestSerializer().serialize_entity(None, value)))


def as_sent_by(known: Mapping[str, str], obj: Any) -> dict[str, Any]:
    """The object as an older caller sends it: its versions, and fields that we do not have."""
    primitive = on_wire(obj)

    def age(part: dict[str, Any]) -> None:
        part["magnum_object.version"] = known[part["magnum_object.name"]]
        for value in part["magnum_object.data"].values():
            if isinstance(value, dict) and "magnum_object.name" in value:
                age(value)

    age(primitive)
    if primitive["magnum_object.name"] == "Cluster":
        primitive["magnum_object.data"]["trust_id"] = "of old"
    return primitive


def versions_in(value: Any) -> dict[str, set[str]]:
    """The versions of the objects in a reply, by name."""
    found: dict[str, set[str]] = {}
    if isinstance(value, list):
        parts = value
    elif isinstance(value, dict):
        parts = list(value.values())
        if "magnum_object.name" in value:
            found[value["magnum_object.name"]] = {value["magnum_object.version"]}
    else:
        return found
    for part in parts:
        for name, versions in versions_in(part).items():
            found.setdefault(name, set()).update(versions)
    return found


class Older:
    """A caller that sends and takes primitives only."""

    def __init__(self, house: House, known: Mapping[str, str]) -> None:
        self._client = house.api._client
        self._context = house.context.to_dict()
        self.known = dict(known)

    def call(self, method: str, **arguments: Any) -> Any:
        """Return the reply before it is taken for objects."""
        serializer = self._client.serializer
        keep = serializer.deserialize_entity
        serializer.deserialize_entity = lambda context, entity: entity
        try:
            return self._client.call(self._context, method, **arguments)
        finally:
            serializer.deserialize_entity = keep

    def class_action(self, kind: str, name: str, *args: Any, **kwargs: Any) -> Any:
        return self.call(
            "object_class_action_versions",
            objname=kind,
            objmethod=name,
            object_versions=self.known,
            args=list(args),
            kwargs=kwargs,
        )


@OLDER
def test_single_objects_and_lists_come_at_the_callers_versions(
    house: House, known: Mapping[str, str]
) -> None:
    cluster = house.create()
    older = Older(house, known)
    for kind, name, args in (
        ("Cluster", "get_by_uuid", [cluster.uuid]),
        ("Cluster", "list", []),
        ("NodeGroup", "list", [cluster.uuid]),
        ("ClusterTemplate", "list", []),
    ):
        seen = versions_in(older.class_action(kind, name, *args))
        assert seen == {kind: {known[kind]}}


@OLDER
def test_a_cluster_that_carries_its_template_goes_back(
    house: House, known: Mapping[str, str]
) -> None:
    cluster = house.create()
    assert cluster.cluster_template.uuid == house.template.uuid  # loaded, and so it travels
    older = Older(house, known)
    names = ("Cluster", "ClusterTemplate")
    expected = {name: {known[name]} for name in names}
    seen = older.call(
        "object_backport_versions", objinst=on_wire(cluster), object_versions=older.known
    )
    assert versions_in(seen) == expected
    assert seen["magnum_object.data"]["uuid"] == cluster.uuid

    sent = as_sent_by(known, cluster)
    assert versions_in(sent) == expected
    assert versions_in(older.call("rotate_ca_certificate", cluster=sent)) == expected


@OLDER
def test_operations_answer_with_the_versions_of_the_request(
    house: House, known: Mapping[str, str]
) -> None:
    cluster = house.create()
    older = Older(house, known)
    worker = cluster.default_ng_worker
    seen = older.call(
        "cluster_upgrade",
        cluster=as_sent_by(known, cluster),
        cluster_template=as_sent_by(known, house.make_template()),
        max_batch_size=1,
        nodegroup=as_sent_by(known, worker),
    )
    assert versions_in(seen) == {"Cluster": {known["Cluster"]}}
    house.finish(cluster.uuid)

    worker = house.workers(cluster.uuid)
    worker.max_node_count = 9
    seen = older.call(
        "nodegroup_update",
        cluster=as_sent_by(known, cluster),
        nodegroup=as_sent_by(known, worker),
    )
    assert versions_in(seen) == {"NodeGroup": {known["NodeGroup"]}}
    assert house.workers(cluster.uuid).max_node_count == 9

    certificate = objects.Certificate(house.context, cluster_uuid=cluster.uuid, csr="rubbish")
    with pytest.raises(exception.InvalidCsr):
        older.call(
            "sign_certificate",
            cluster=as_sent_by(known, house.get(cluster.uuid)),
            certificate=as_sent_by(known, certificate),
        )


@OLDER
@pytest.mark.parametrize("name", ["save", "refresh"])
def test_object_action_on_an_older_object(
    house: House, known: Mapping[str, str], name: str
) -> None:
    cluster = house.create()
    assert cluster.cluster_template.uuid
    older = Older(house, known)
    if name == "save":
        cluster.status_reason = "changed"
    else:
        row = house.get(cluster.uuid)
        row.status_reason = "changed"
        row.save()
    updates, result = older.call(
        "object_action",
        objinst=as_sent_by(known, cluster),
        objmethod=name,
        args=[],
        kwargs={},
    )
    assert result is None
    assert house.get(cluster.uuid).status_reason == "changed"
    assert all(versions == {known[kind]} for kind, versions in versions_in(updates).items())


@pytest.mark.parametrize("kind", KINDS)
def test_every_object_of_one_version_down_is_read_and_given_back(kind: str) -> None:
    made = KINDS[kind]()
    sent = as_sent_by(ONE_DOWN, made)
    received = RequestSerializer().deserialize_entity(None, sent)
    assert isinstance(received, ovo.VersionedObject)
    assert ONE_DOWN[kind] == received.VERSION
    assert on_wire(received)["magnum_object.version"] == ONE_DOWN[kind]
