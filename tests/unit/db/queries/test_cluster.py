import pytest

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.db import engine
from magnumlite.db.queries import cluster


def test_found_by_id_uuid_and_name(make_cluster, context):
    made = make_cluster()
    assert cluster.get_by_id(context, made.id).uuid == made.uuid
    assert cluster.get_by_uuid(context, made.uuid).id == made.id
    assert cluster.get_by_name(context, "cluster").id == made.id


def test_several_of_one_name_are_a_conflict(make_cluster, context):
    make_cluster()
    make_cluster()
    with pytest.raises(exception.Conflict, match="uuid"):
        cluster.get_by_name(context, "cluster")


def test_a_taken_uuid(make_cluster):
    made = make_cluster()
    with pytest.raises(exception.ClusterAlreadyExists, match=made.uuid):
        make_cluster(uuid=made.uuid)


def test_others_see_nothing(make_cluster, stranger, project_admin, admin):  # B67
    made = make_cluster()
    for other in (stranger, project_admin):
        with pytest.raises(exception.ClusterNotFound):
            cluster.get_by_uuid(other, made.uuid)
        assert cluster.list_all(other) == []
        assert cluster.count(other) == 0
    assert cluster.get_by_uuid(admin, made.uuid).id == made.id


def test_a_context_without_a_project_sees_its_users_rows(make_cluster):
    made = make_cluster(user_id="alone")
    make_cluster()
    alone = magnum_context.RequestContext(user_id="alone", is_admin=False)
    assert [row.uuid for row in cluster.list_all(alone)] == [made.uuid]


def test_others_write_nothing(make_cluster, stranger, context):  # B67
    made = make_cluster()
    with pytest.raises(exception.ClusterNotFound):
        cluster.update(stranger, made.uuid, {"name": "taken"})
    with pytest.raises(exception.ClusterNotFound):
        cluster.destroy(stranger, made.uuid)
    with pytest.raises(exception.NotAuthorized):
        make_cluster_as(stranger, made)
    assert cluster.get_by_uuid(context, made.uuid).name == "cluster"


def make_cluster_as(context, like):
    cluster.create(context, {"uuid": "x", "project_id": like.project_id})


def test_administrators_write_every_row(make_cluster, project_admin, context):
    made = make_cluster()
    cluster.update(project_admin, made.uuid, {"name": "new"})
    assert cluster.get_by_uuid(context, made.uuid).name == "new"
    cluster.destroy(project_admin, made.uuid)
    assert cluster.count(context) == 0


def test_update_notes_when(make_cluster, context):
    made = make_cluster()
    assert made.updated_at is None
    cluster.update(context, made.uuid, {"name": "new"})
    assert cluster.get_by_uuid(context, made.uuid).updated_at >= made.created_at


def test_the_uuid_stays(make_cluster, context):
    with pytest.raises(exception.InvalidParameterValue, match="Cannot overwrite UUID"):
        cluster.update(context, make_cluster().uuid, {"uuid": "other"})


def test_a_read_after_an_update_in_one_transaction_is_fresh(make_cluster, context):
    made = make_cluster()
    with engine.writer():
        cluster.get_by_uuid(context, made.uuid)
        cluster.update(context, made.uuid, {"name": "new"})
        assert cluster.get_by_uuid(context, made.uuid).name == "new"


def test_pages(make_cluster, context):
    made = [make_cluster(name=name) for name in "cab"]
    page = cluster.list_all(context, limit=2, sort_key="name")
    assert [row.name for row in page] == ["a", "b"]
    rest = cluster.list_all(context, limit=2, sort_key="name", marker=page[-1])
    assert [row.name for row in rest] == ["c"]
    back = cluster.list_all(context, sort_dir="desc")
    assert [row.id for row in back] == [row.id for row in reversed(made)]


@pytest.mark.parametrize("wrong", [{"sort_key": "bogus"}, {"sort_dir": "bogus"}])
def test_a_wrong_sort_is_refused(make_cluster, context, wrong):
    with pytest.raises(exception.InvalidParameterValue):
        cluster.list_all(context, **wrong)


def test_plain_filters(make_cluster, context):
    made = make_cluster(name="one", stack_id="s", api_address="https://1")
    make_cluster(name="two", status="UPDATE_IN_PROGRESS")

    def found(**filters):
        return [row.name for row in cluster.list_all(context, filters)]

    assert found(name="one", stack_id="s", api_address="https://1") == ["one"]
    assert found(project_id=made.project_id, user_id=made.user_id) == ["one", "two"]
    assert found(status=["UPDATE_IN_PROGRESS", "DELETE_FAILED"]) == ["two"]
    assert found(status=[]) == []
    assert found(unheard_of=1) == ["one", "two"]
    assert cluster.count(context, {"name": "one"}) == 1


def test_filters_on_nodegroups(make_cluster, make_nodegroup, context):
    big, small = make_cluster(name="big"), make_cluster(name="small")
    for of, count in ((big, 3), (small, 1)):
        make_nodegroup(of, node_count=count, node_addresses=[f"10.0.0.{count}"])
        make_nodegroup(of, name="more", node_count=count)
        make_nodegroup(of, name="default-master", role="master", node_count=count)

    def found(**filters):
        return [row.name for row in cluster.list_all(context, filters)]

    assert found(node_count=6) == ["big"]
    assert found(master_count=1) == ["small"]
    assert found(node_addresses=["10.0.0.3"]) == ["big"]
