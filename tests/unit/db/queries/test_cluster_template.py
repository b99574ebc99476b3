import pytest

from magnumlite import exception
from magnumlite.db.queries import cluster_template


def test_public_templates_are_everybodys(make_template, stranger):
    make_template(name="private")
    shown = make_template(name="shown", public=True)
    assert [row.uuid for row in cluster_template.list_all(stranger)] == [shown.uuid]
    assert cluster_template.get_by_uuid(stranger, shown.uuid).name == "shown"


def test_hidden_public_templates_are_administrators(make_template, stranger, project_admin):
    hidden = make_template(public=True, hidden=True)
    assert cluster_template.list_all(stranger) == []
    assert cluster_template.list_all(project_admin)[0].uuid == hidden.uuid


def test_ones_own_hidden_template_is_seen(make_template, context):
    hidden = make_template(hidden=True)
    assert cluster_template.get_by_name(context, "template").uuid == hidden.uuid


def test_a_public_template_is_not_everybodys_to_change(make_template, stranger):  # B67
    shown = make_template(public=True)
    with pytest.raises(exception.ClusterTemplateNotFound):
        cluster_template.update(stranger, shown.uuid, {"name": "taken"})
    with pytest.raises(exception.ClusterTemplateNotFound):
        cluster_template.destroy(stranger, shown.uuid)


@pytest.mark.parametrize(
    "values",
    [{"name": "new"}, {"public": True}, {"hidden": True}, {"hidden": False}, {"tags": "a"}],
)
def test_how_a_used_template_is_shown_may_change(make_template, make_cluster, context, values):
    used = make_template()
    make_cluster(cluster_template_id=used.uuid)
    cluster_template.update(context, used.uuid, values)


@pytest.mark.parametrize(
    "values",
    [{"public": False}, {"tags": None}, {"flavor_id": "x"}, {"name": "new", "tags": "a"}],
)
def test_what_a_used_template_says_may_not_change(make_template, make_cluster, context, values):
    used = make_template()
    make_cluster(cluster_template_id=used.uuid)
    with pytest.raises(exception.ClusterTemplateReferenced):
        cluster_template.update(context, used.uuid, values)
    with pytest.raises(exception.ClusterTemplateReferenced):
        cluster_template.destroy(context, used.uuid)


def test_an_unused_template_goes(make_template, context):
    unused = make_template()
    cluster_template.update(context, unused.uuid, {"flavor_id": "x", "name": "y"})
    cluster_template.destroy(context, unused.uuid)
    with pytest.raises(exception.ClusterTemplateNotFound):
        cluster_template.get_by_id(context, unused.id)


def test_conflicts(make_template, context):
    made = make_template()
    with pytest.raises(exception.ClusterTemplateAlreadyExists):
        make_template(uuid=made.uuid)
    make_template()
    with pytest.raises(exception.Conflict):
        cluster_template.get_by_name(context, "template")
