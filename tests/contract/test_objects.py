"""The nine objects are magnum's to the last argument (contract/objects.json)."""

import json
import pathlib

import pytest
from oslo_versionedobjects import fixture

from magnumlite import objects
from magnumlite.objects import base, fields

DATA = pathlib.Path(__file__).parent / "data"
OBJECTS = json.loads((DATA / "objects.json").read_text())
ENUMS = json.loads((DATA / "enums.json").read_text())


@pytest.mark.parametrize("name", OBJECTS)
def test_fingerprint(name):
    classes = {name: base.MagnumObjectRegistry.obj_classes()[name]}
    hashes = fixture.ObjectVersionChecker(classes).get_hashes()
    assert hashes == {name: OBJECTS[name]["fingerprint"]}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_newest_class_is_ours(name):
    assert base.MagnumObjectRegistry.obj_classes()[name][0] is getattr(objects, name)


@pytest.mark.parametrize("name", OBJECTS)
def test_fields_and_their_order(name):
    assert list(getattr(objects, name).fields) == OBJECTS[name]["fields"]


@pytest.mark.parametrize("name", OBJECTS)
def test_remotables(name):
    cls = getattr(objects, name)
    remotable = sorted(m for m in dir(cls) if getattr(getattr(cls, m), "remotable", False))
    assert remotable == OBJECTS[name]["remotable"]


@pytest.mark.parametrize("name", ENUMS)
def test_enumerations(name):
    enum = getattr(fields, name)
    assert list(enum.ALL) == ENUMS[name]["ALL"]
    for member, value in ENUMS[name]["members"].items():
        ours = getattr(enum, member)
        assert (list(ours) if isinstance(ours, tuple) else ours) == value


def test_a_cluster_on_the_wire():
    uuid = "5d12f6fd-a196-4bf0-ae4c-1f639a523a52"
    template = objects.ClusterTemplate(uuid="u", coe="kubernetes")
    cluster = objects.Cluster(uuid=uuid, cluster_template=template)
    cluster.obj_reset_changes(["uuid"])
    primitive = cluster.obj_to_primitive()
    for changes in (primitive, primitive["magnum_object.data"]["cluster_template"]):
        changes["magnum_object.changes"].sort()
    assert primitive == {
        "magnum_object.name": "Cluster",
        "magnum_object.namespace": "magnum",
        "magnum_object.version": "1.24",
        "magnum_object.data": {
            "uuid": uuid,
            "cluster_template": {
                "magnum_object.name": "ClusterTemplate",
                "magnum_object.namespace": "magnum",
                "magnum_object.version": "1.21",
                "magnum_object.data": {"uuid": "u", "coe": "kubernetes"},
                "magnum_object.changes": ["coe", "uuid"],
            },
        },
        "magnum_object.changes": ["cluster_template"],
    }
