import pytest

from magnumlite import exception
from magnumlite.db.queries import nodegroup


def test_found_within_its_cluster_only(make_cluster, make_nodegroup, context):
    home, other = make_cluster(), make_cluster()
    made = make_nodegroup(home)
    assert nodegroup.get_by_id(context, home.uuid, made.id).uuid == made.uuid
    assert nodegroup.get_by_uuid(context, home.uuid, made.uuid).id == made.id
    assert nodegroup.get_by_name(context, home.uuid, made.name).id == made.id
    for get, identity in (
        (nodegroup.get_by_id, made.id),
        (nodegroup.get_by_uuid, made.uuid),
        (nodegroup.get_by_name, made.name),
    ):
        with pytest.raises(exception.NodeGroupNotFound):
            get(context, other.uuid, identity)


def test_others_reach_nothing(make_cluster, make_nodegroup, stranger, project_admin):  # B67
    home = make_cluster()
    made = make_nodegroup(home)
    assert nodegroup.list_all(stranger, home.uuid) == []
    assert nodegroup.count(stranger, home.uuid) == 0
    with pytest.raises(exception.NodeGroupNotFound):
        nodegroup.update(stranger, home.uuid, made.uuid, {"node_count": 9})
    with pytest.raises(exception.NodeGroupNotFound):
        nodegroup.destroy(stranger, home.uuid, made.uuid)
    assert nodegroup.count(project_admin, home.uuid) == 1


def test_one_name_once_in_a_cluster(make_cluster, make_nodegroup):
    home = make_cluster()
    make_nodegroup(home)
    with pytest.raises(exception.NodeGroupAlreadyExists):
        make_nodegroup(home)
    make_nodegroup(make_cluster())


def test_filters(make_cluster, make_nodegroup, context):
    home = make_cluster()
    make_nodegroup(home, is_default=True, node_addresses=["10.0.0.1"])
    make_nodegroup(home, name="big", node_count=9, status="UPDATE_IN_PROGRESS")

    def found(**filters):
        return [row.name for row in nodegroup.list_all(context, home.uuid, filters)]

    assert found(is_default=True) == ["default-worker"]
    assert found(node_addresses=["10.0.0.1"]) == ["default-worker"]
    assert found(role="worker", node_count=9) == ["big"]
    assert found(status=["UPDATE_IN_PROGRESS"]) == ["big"]


def test_any_in_progress(make_cluster, make_nodegroup):
    home = make_cluster()
    make_nodegroup(home)
    assert not nodegroup.any_in_progress(home.uuid)
    make_nodegroup(home, name="new", status="CREATE_IN_PROGRESS")
    assert nodegroup.any_in_progress(home.uuid)


def test_update_and_destroy(make_cluster, make_nodegroup, context):
    home = make_cluster()
    made = make_nodegroup(home)
    nodegroup.update(context, home.uuid, made.uuid, {"node_count": 4})
    assert nodegroup.get_by_uuid(context, home.uuid, made.uuid).node_count == 4
    nodegroup.destroy(context, home.uuid, made.uuid)
    with pytest.raises(exception.NodeGroupNotFound):
        nodegroup.update(context, home.uuid, made.uuid, {"node_count": 4})
