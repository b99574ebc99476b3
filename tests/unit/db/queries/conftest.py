import uuid

import pytest

from magnumlite import context as magnum_context
from magnumlite.db.queries import cluster, cluster_template, nodegroup
from tests.conftest import PROJECT, USER


@pytest.fixture
def stranger():
    """The context of another project's user."""
    return magnum_context.RequestContext(user_id="stranger", project_id="theirs", is_admin=False)


@pytest.fixture
def project_admin():
    """An administrator's context that has a project and does not ask for all."""
    return magnum_context.RequestContext(user_id="root", project_id="theirs", is_admin=True)


@pytest.fixture
def make_template(database, context):
    def make(**values):
        values = {"project_id": PROJECT, "user_id": USER, "name": "template", **values}
        return cluster_template.create(context, values)

    return make


@pytest.fixture
def make_cluster(database, context):
    def make(**values):
        values = {
            "uuid": str(uuid.uuid4()),
            "project_id": PROJECT,
            "user_id": USER,
            "name": "cluster",
            "status": "CREATE_COMPLETE",
            **values,
        }
        return cluster.create(context, values)

    return make


@pytest.fixture
def make_nodegroup(database, context):
    def make(of, **values):
        values = {
            "cluster_id": of.uuid,
            "project_id": of.project_id,
            "name": "default-worker",
            "role": "worker",
            "node_count": 1,
            "status": "CREATE_COMPLETE",
            **values,
        }
        return nodegroup.create(context, values)

    return make
