"""Templates, key pairs, quotas, statistics, federations, services, certificates."""

import datetime

import pytest

from magnumlite import exception, objects
from tests.conftest import PROJECT, USER


def test_a_template_is_found_by_name_too(template, context):
    for identity in (template.id, template.uuid, "t"):
        assert objects.ClusterTemplate.get(context, identity).uuid == template.uuid
    template.name = "new"
    template.save()
    assert [found.name for found in objects.ClusterTemplate.list(context)] == ["new"]
    template.destroy()
    with pytest.raises(exception.ClusterTemplateNotFound):
        template.refresh()


def test_key_pairs(database, context):
    made = objects.X509KeyPair(context, certificate="c", project_id=PROJECT, user_id=USER)
    made.create()
    assert objects.X509KeyPair.get(context, made.uuid).certificate == "c"
    assert objects.X509KeyPair.get(context, made.id).uuid == made.uuid
    made.private_key = "k"
    made.save()
    assert objects.X509KeyPair.list(context)[0].private_key == "k"
    made.destroy()
    with pytest.raises(exception.X509KeyPairNotFound):
        made.refresh()


@pytest.fixture
def quotas(database, admin):
    for project in (PROJECT, "theirs"):
        objects.Quota(admin, project_id=project, resource="Cluster", hard_limit=3).create()


def test_all_quotas_of_a_project(quotas, admin, context):
    """magnum answers with an AttributeError."""
    (found,) = objects.Quota.quota_get_all_by_project_id(admin, "theirs")
    assert found.project_id == "theirs"
    assert objects.Quota.quota_get_all_by_project_id(context, "theirs") == []  # B67


def test_deleting_one_quota_leaves_the_others(quotas, admin):  # B65
    objects.Quota.get_quota_by_project_id_resource(admin, PROJECT, "Cluster").delete()
    assert [quota.project_id for quota in objects.Quota.list(admin)] == ["theirs"]


def test_update_quota(quotas, admin):
    values = {"resource": "Cluster", "hard_limit": 9}
    changed = objects.Quota.update_quota(admin, PROJECT, values)
    assert changed.hard_limit == 9
    assert objects.Quota.get_by_id(admin, changed.id).hard_limit == 9


def test_stats(cluster, context, admin):
    assert objects.Stats.get_cluster_stats(context, PROJECT).as_dict() == {
        "clusters": 1,
        "nodes": 5,
    }
    assert objects.Stats.get_cluster_stats(admin).clusters == 1
    with pytest.raises(exception.NotAuthorized):  # B67
        objects.Stats.get_cluster_stats(context, "theirs")


def test_federations(database, context):
    made = objects.Federation(
        context, name="f", project_id=PROJECT, member_ids=["a"], properties={"k": "v"}
    )
    made.create()
    for identity in (made.id, made.uuid):
        found = objects.Federation.get(context, identity)
        assert found.member_ids == ["a"]
        assert found.properties == {"k": "v"}
    made.status = "CREATE_COMPLETE"
    made.save()
    assert objects.Federation.get_by_name(context, "f").status == "CREATE_COMPLETE"
    assert objects.Federation.get_count_all(context) == 1
    made.destroy()
    assert objects.Federation.list(context) == []


def test_a_service_reports(database, admin):
    made = objects.MagnumService(admin, host="h", binary="magnum-conductor")
    made.create()
    made.report_state_up()
    assert made.report_count == 1
    found = objects.MagnumService.get_by_host_and_binary(admin, "h", "magnum-conductor")
    assert found.report_count == 1
    assert found.last_seen_up.tzinfo is datetime.UTC
    assert objects.MagnumService.get_by_host_and_binary(admin, "i", "magnum-conductor") is None
    found.last_seen_up = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)
    found.save()
    assert objects.MagnumService.list(admin)[0].last_seen_up == found.last_seen_up
    found.destroy()
    with pytest.raises(exception.MagnumServiceNotFound):
        made.report_state_up()


def test_certificates_of_a_cluster(cluster):
    expected = {"project_id": PROJECT, "user_id": USER, "cluster_uuid": cluster.uuid}
    assert objects.Certificate.from_object_cluster(cluster).as_dict() == expected
    row = {"project_id": PROJECT, "user_id": USER, "uuid": cluster.uuid}
    assert objects.Certificate.from_db_cluster(row).as_dict() == expected
