import datetime
import uuid

import pytest
from oslo_versionedobjects import fields as ovo_fields

from magnumlite import exception, objects
from magnumlite.db import engine, fence, models


def test_create_reads_the_row_back(cluster):
    assert cluster.id
    assert cluster.floating_ip_enabled is True
    assert cluster.master_lb_enabled is False
    assert cluster.created_at.tzinfo is datetime.UTC
    assert cluster.obj_what_changed() == set()


def test_the_ways_to_find_one(cluster, context):
    for found in (
        objects.Cluster.get(context, cluster.id),
        objects.Cluster.get(context, str(cluster.id)),
        objects.Cluster.get(context, cluster.uuid),
        objects.Cluster.get_by_id(context, cluster.id),
        objects.Cluster.get_by_uuid(context, cluster.uuid),
        objects.Cluster.get_by_name(context, "c"),
        objects.Cluster.list(context)[0],
    ):
        assert found.uuid == cluster.uuid
        assert found._context is context
        assert found.obj_what_changed() == set()
    with pytest.raises(exception.InvalidIdentity):
        objects.Cluster.get(context, "c")


def test_every_field_is_hydrated_as_an_assignment_would(cluster, context):
    """What is put straight into place has the types that coercion gives."""
    read = objects.Cluster.get_by_uuid(context, cluster.uuid)
    for name, field in read.fields.items():
        if name != "cluster_template":
            value = getattr(read, name)
            assert type(field.coerce(read, name, value)) is type(value), name
    assert isinstance(read.labels, ovo_fields.CoercedDict)
    read.labels["b"] = 2
    assert read.labels == {"a": "1", "b": "2"}


def test_a_row_that_is_a_mapping(context):
    columns = {name: None for name in objects.Cluster.fields if name != "cluster_template"}
    columns.update(id=1, uuid=str(uuid.uuid4()), floating_ip_enabled=1, master_lb_enabled=None)
    made = objects.Cluster._from_db_object(objects.Cluster(context), columns)
    assert made.floating_ip_enabled is True
    assert made.master_lb_enabled is False


def test_a_status_unheard_of_is_refused(cluster, context):
    with engine.writer() as session:
        session.query(models.Cluster).update({"status": "MELTED"})
    with pytest.raises(ValueError, match="MELTED"):
        objects.Cluster.get_by_uuid(context, cluster.uuid)


def test_save_writes_what_changed(cluster, context, statements):
    cluster.name = "new"
    cluster.save()
    assert len(statements) == 1
    assert "SET name=?, updated_at=? " in statements[0]
    assert cluster.obj_what_changed() == set()
    assert objects.Cluster.get_by_uuid(context, cluster.uuid).name == "new"


def test_save_of_nothing_still_needs_the_row(cluster):
    cluster.save()
    cluster.destroy()
    with pytest.raises(exception.ClusterNotFound):
        cluster.save()


def test_a_changed_template_object_is_no_column(cluster, template, context):
    cluster.cluster_template = template
    cluster.name = "new"
    cluster.save()
    assert objects.Cluster.get_by_uuid(context, cluster.uuid).name == "new"


def test_the_template_is_loaded_once(cluster, template, statements):
    assert cluster.cluster_template.uuid == template.uuid
    assert cluster.cluster_template.name == "t"
    assert len(statements) == 1
    assert cluster.obj_what_changed() == set()


def test_another_field_is_not_loaded(context):
    with pytest.raises(exception.ObjectError, match="field name is not set"):
        _ = objects.Cluster(context).name


def test_refresh_takes_over_set_fields_and_marks_them(cluster, context):
    partial = objects.Cluster(context, uuid=cluster.uuid, name="old")
    partial.obj_reset_changes()
    partial.refresh()
    assert partial.name == "c"
    assert partial.obj_what_changed() == {"name"}
    assert "status" not in partial


def test_refresh_forgets_a_template_that_changed(cluster, context):
    assert cluster.cluster_template.name == "t"
    other = objects.ClusterTemplate(
        context, name="other", project_id=cluster.project_id, user_id=cluster.user_id
    )
    other.create()
    row = objects.Cluster.get_by_uuid(context, cluster.uuid)
    row.cluster_template_id = other.uuid
    row.save()
    cluster.refresh()
    assert cluster.cluster_template.name == "other"


def test_nodegroups(cluster):
    assert cluster.node_count == 2
    assert cluster.master_count == 3
    assert cluster.node_addresses == ["worker-0", "worker-1"]
    assert cluster.master_addresses == ["master-0", "master-1", "master-2"]
    assert cluster.default_ng_worker.name == "default-worker"
    assert cluster.default_ng_master.name == "default-master"


def test_nodegroups_are_read_anew(cluster):
    worker = cluster.default_ng_worker
    worker.node_count = 7
    worker.save()
    assert cluster.node_count == 7


def test_no_default_nodegroup(context, template):
    bare = objects.Cluster(context, uuid=str(uuid.uuid4()), project_id=template.project_id)
    with pytest.raises(IndexError):
        _ = bare.default_ng_worker


def test_as_dict_takes_one_query(cluster, statements):  # B60
    values = cluster.as_dict()
    assert len(statements) == 1
    assert values["node_count"] == 2
    assert values["master_count"] == 3
    assert values["node_addresses"] == ["worker-0", "worker-1"]
    assert values["master_addresses"] == ["master-0", "master-1", "master-2"]
    assert values["name"] == "c"
    assert "cluster_template" not in values


def test_counts_and_stats(cluster, context):
    assert objects.Cluster.get_count_all(context) == 1
    assert objects.Cluster.get_count_all(context, {"name": "other"}) == 0
    assert objects.Cluster.get_stats(context, cluster.project_id) == (1, 5)


def test_get_stats_honours_the_project(cluster, admin):
    assert objects.Cluster.get_stats(admin, "nobody") == (0, 0)
    assert objects.Cluster.get_stats(admin) == (1, 5)


def test_inside_a_job_the_status_is_what_the_fence_shows(cluster, context):
    row = objects.Cluster.get_by_uuid(context, cluster.uuid)
    row.status = "CREATE_FAILED"
    row.save()
    poll = fence.PollFence(cluster.uuid, 0, "CREATE_FAILED", late=True)
    with fence.holding(poll):
        shown = objects.Cluster.get_by_uuid(context, cluster.uuid)
    assert shown.status == "CREATE_IN_PROGRESS"
    assert shown.obj_what_changed() == set()


def test_one_version_down_with_its_template(cluster):
    assert cluster.cluster_template
    manifest = {"Cluster": "1.23", "ClusterTemplate": "1.20"}
    primitive = cluster.obj_to_primitive(target_version="1.23", version_manifest=manifest)
    assert primitive["magnum_object.version"] == "1.23"
    template = primitive["magnum_object.data"]["cluster_template"]
    assert template["magnum_object.version"] == "1.20"
    assert template["magnum_object.data"]["name"] == "t"
    assert primitive["magnum_object.data"]["name"] == "c"


def test_one_version_down_without_a_manifest(cluster):
    assert cluster.cluster_template
    primitive = cluster.obj_to_primitive(target_version="1.23")
    template = primitive["magnum_object.data"]["cluster_template"]
    assert primitive["magnum_object.version"] == "1.23"
    assert template["magnum_object.version"] == objects.ClusterTemplate.VERSION


def test_there_and_back(cluster, context):
    assert cluster.cluster_template
    cluster.name = "changed"
    primitive = cluster.obj_to_primitive()
    back = objects.Cluster.obj_from_primitive(primitive, context)
    assert back.obj_what_changed() == {"name"}
    assert back.cluster_template.name == "t"
    assert back.obj_to_primitive()["magnum_object.data"] == primitive["magnum_object.data"]
