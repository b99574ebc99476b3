"""Quotas, statistics, key pairs, federations, services."""

import pytest

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.db.queries import federation, magnum_service, quota, stats, x509keypair
from tests.conftest import PROJECT, USER


@pytest.fixture
def quotas(database, admin):
    for project in (PROJECT, "theirs"):
        for resource in ("Cluster", "Other"):
            quota.create(admin, {"project_id": project, "resource": resource, "hard_limit": 5})


def test_exactly_the_named_quota_goes(quotas, admin):  # B65
    quota.destroy(admin, PROJECT, "Cluster")
    left = {(row.project_id, row.resource) for row in quota.list_all(admin)}
    assert left == {(PROJECT, "Other"), ("theirs", "Cluster"), ("theirs", "Other")}
    with pytest.raises(exception.QuotaNotFound):
        quota.destroy(admin, PROJECT, "Cluster")


def test_a_tenant_reaches_its_own_quotas(quotas, context, admin):  # B67
    assert {row.project_id for row in quota.list_all(context)} == {PROJECT}
    assert quota.get_by_project_and_resource(context, PROJECT, "Cluster").hard_limit == 5
    foreign = quota.get_by_project_and_resource(admin, "theirs", "Cluster")
    for refused in (
        lambda: quota.get_by_project_and_resource(context, "theirs", "Cluster"),
        lambda: quota.get_by_id(context, foreign.id),
        lambda: quota.update(context, "theirs", {"resource": "Cluster", "hard_limit": 99}),
        lambda: quota.destroy(context, "theirs", "Cluster"),
    ):
        with pytest.raises(exception.QuotaNotFound):
            refused()
    with pytest.raises(exception.NotAuthorized):
        quota.create(context, {"project_id": "theirs", "resource": "New", "hard_limit": 1})


def test_a_quota_changes(quotas, admin):
    changed = quota.update(admin, PROJECT, {"resource": "Cluster", "hard_limit": 7})
    assert changed.hard_limit == 7
    with pytest.raises(exception.QuotaAlreadyExists):
        quota.create(admin, {"project_id": PROJECT, "resource": "Cluster", "hard_limit": 1})


def test_stats(make_cluster, make_nodegroup, context, stranger, admin):
    home = make_cluster()
    make_nodegroup(home, node_count=3)
    make_nodegroup(home, name="default-master", role="master", node_count=1)
    assert stats.get_cluster_stats(context, PROJECT) == (1, 4)
    assert stats.get_cluster_stats(context) == (1, 4)
    assert stats.get_cluster_stats(admin) == (1, 4)
    assert stats.get_cluster_stats(admin, "theirs") == (0, 0)
    assert stats.get_cluster_stats(stranger) == (0, 0)
    with pytest.raises(exception.NotAuthorized):  # B67
        stats.get_cluster_stats(stranger, PROJECT)


def test_key_pairs_are_their_projects(database, context, stranger, project_admin):  # B67
    made = x509keypair.create(context, {"project_id": PROJECT, "user_id": USER})
    assert x509keypair.get_by_uuid(context, made.uuid).id == made.id
    for other in (stranger, project_admin):
        with pytest.raises(exception.X509KeyPairNotFound):
            x509keypair.get_by_id(other, made.id)
    with pytest.raises(exception.X509KeyPairNotFound, match=made.uuid):
        x509keypair.destroy(stranger, made.uuid)
    with pytest.raises(exception.X509KeyPairNotFound):
        x509keypair.update(stranger, made.uuid, {"certificate": "x"})
    with pytest.raises(exception.X509KeyPairAlreadyExists):
        x509keypair.create(context, {"uuid": made.uuid})
    x509keypair.update(context, made.uuid, {"certificate": "x"})
    assert x509keypair.list_all(context, {"user_id": USER})[0].certificate == "x"
    x509keypair.destroy(context, made.uuid)


def test_federations(database, context, stranger):
    made = federation.create(context, {"project_id": PROJECT, "name": "f", "member_ids": ["a"]})
    assert federation.get_by_name(context, "f").uuid == made.uuid
    assert federation.count(context, {"member_ids": ["a"]}) == 1
    nobody = magnum_context.RequestContext(user_id=USER, is_admin=False)
    for other in (stranger, nobody):
        assert federation.list_all(other) == []
        with pytest.raises(exception.FederationNotFound):
            federation.destroy(other, made.uuid)
    federation.update(context, made.uuid, {"name": "g"})
    assert federation.get_by_id(context, made.id).name == "g"


def test_a_service_is_recorded_once(database, admin, context):
    first = magnum_service.create(admin, {"host": "h", "binary": "b"})
    assert magnum_service.create(admin, {"host": "h", "binary": "b"}).id == first.id
    assert len(magnum_service.list_all(context)) == 1
    assert magnum_service.get_by_host_and_binary(context, "h", "other") is None


def test_a_growing_count_moves_last_seen_up(database, admin):
    made = magnum_service.create(admin, {"host": "h", "binary": "b"})

    def report(count):
        magnum_service.update(admin, made.id, {"report_count": count})
        return magnum_service.get_by_host_and_binary(admin, "h", "b")

    assert report(0).last_seen_up is None
    seen = report(1).last_seen_up
    assert seen is not None
    assert report(1).last_seen_up == seen
    assert report(2).last_seen_up > seen
    assert report(2).report_count == 2


def test_services_are_administrators_to_write(database, admin, context):  # B67
    made = magnum_service.create(admin, {"host": "h", "binary": "b"})
    for refused in (
        lambda: magnum_service.create(context, {"host": "i", "binary": "b"}),
        lambda: magnum_service.update(context, made.id, {"report_count": 9}),
        lambda: magnum_service.destroy(context, made.id),
    ):
        with pytest.raises(exception.NotAuthorized):
            refused()
    magnum_service.destroy(admin, made.id)
    with pytest.raises(exception.MagnumServiceNotFound):
        magnum_service.destroy(admin, made.id)
    with pytest.raises(exception.MagnumServiceNotFound):
        magnum_service.update(admin, made.id, {"report_count": 9})
