"""Reading clusters and templates by name or uuid."""

from typing import Any

import pytest
from oslo_utils import uuidutils

from magnumlite import exception, objects
from magnumlite.compat import conductor_utils as utils
from magnumlite.compat import db_api

CLUSTER, TEMPLATE = uuidutils.generate_uuid(), uuidutils.generate_uuid()


@pytest.fixture
def rows(database: str, context: Any) -> Any:
    made = db_api.get_instance()
    project = {"project_id": context.project_id, "user_id": context.user_id}
    made.create_cluster_template(
        {"uuid": TEMPLATE, "name": "template", "flavor_id": "small", "image_id": "img", **project}
    )
    made.create_cluster(
        {
            "uuid": CLUSTER,
            "name": "cluster",
            "cluster_template_id": TEMPLATE,
            "labels": {"min_node_count": "2"},
            **project,
        }
    )
    return objects.Cluster.get_by_uuid(context, CLUSTER)


def test_by_name_or_uuid(rows: Any, context: Any) -> None:
    for ident in ("cluster", CLUSTER):
        assert utils.retrieve_cluster(context, ident).uuid == CLUSTER
        assert utils.retrieve_cluster_uuid(context, ident) == CLUSTER
    for ident in ("template", TEMPLATE):
        assert utils.retrieve_ct_by_name_or_uuid(context, ident).uuid == TEMPLATE
    assert utils.retrieve_cluster_template(context, rows).name == "template"


def test_what_is_not_there(rows: Any, context: Any) -> None:
    other = uuidutils.generate_uuid()
    assert utils.retrieve_cluster_uuid(context, other) == other
    for function in (utils.retrieve_cluster, utils.retrieve_cluster_uuid):
        with pytest.raises(exception.ClusterNotFound):
            function(context, "other")
    with pytest.raises(exception.ClusterTemplateNotFound):
        utils.retrieve_ct_by_name_or_uuid(context, "other")


def test_a_default_nodegroup(rows: Any, context: Any) -> None:
    worker = utils._get_nodegroup_object(context, rows, 5)
    assert (worker.name, worker.role, worker.node_count) == ("default-worker", "worker", 5)
    assert worker.min_node_count == 2
    assert worker.flavor_id == "small"
    master = utils._get_nodegroup_object(context, rows, 3, is_master=True)
    assert (master.name, master.role, master.node_count) == ("default-master", "master", 3)


def test_who_and_what_of_an_event(rows: Any, context: Any) -> None:
    who = utils._get_request_audit_info(context)
    assert (who.user_id, who.project_id) == (context.user_id, context.project_id)
    target = utils._get_event_target(rows)
    assert (target.id, target.name) == (CLUSTER, "cluster")


def test_an_event_is_sent(rows: Any, context: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[Any] = []
    monkeypatch.setattr(utils.events, "cluster", lambda *arguments: sent.append(arguments))
    utils.notify_about_cluster_operation(context, "create", "pending", rows)
    assert sent == [(context, "create", "pending", rows)]
