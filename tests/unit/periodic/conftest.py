import pytest
from oslo_utils import uuidutils

from magnumlite import objects
from magnumlite.db import engine, models
from magnumlite.drivers import registry
from magnumlite.drivers.base import Driver
from magnumlite.notifications import events
from tests.conftest import PROJECT, USER


class ScriptedDriver(Driver):
    """Its poll does what the test says: `poll` takes context and cluster."""

    provides = [{"server_type": "vm", "os": "ubuntu", "coe": "kubernetes"}]

    def __init__(self):
        self.polled = []
        self.poll = lambda context, cluster: None

    def update_cluster_status(self, context, cluster, use_admin_ctx=False):
        self.polled.append(cluster.uuid)
        self.poll(context, cluster)


for _name in Driver.__abstractmethods__ - {"provides"}:
    setattr(ScriptedDriver, _name, lambda self, *args, **kwargs: None)
ScriptedDriver.__abstractmethods__ = frozenset()


@pytest.fixture
def driver(monkeypatch):
    """The driver of every cluster."""
    made = ScriptedDriver()
    monkeypatch.setattr(registry, "for_cluster", lambda *args, **kwargs: made)
    return made


@pytest.fixture
def sent(monkeypatch):
    """Events of clusters: (action, outcome)."""
    told = []

    def tell(context, action, outcome, *rest):
        told.append((action, outcome))
        return True

    monkeypatch.setattr(events, "cluster", tell)
    return told


@pytest.fixture
def template(database):
    return add_template("k8s_scripted")


def add_template(driver_name):
    objects.register_all()
    uuid = uuidutils.generate_uuid()
    with engine.writer() as session:
        session.add(
            models.ClusterTemplate(
                uuid=uuid,
                name="template",
                project_id=PROJECT,
                user_id=USER,
                server_type="vm",
                cluster_distro="ubuntu",
                coe="kubernetes",
                driver=driver_name,
            )
        )
    return uuid


@pytest.fixture
def make_cluster(template):
    """Write a cluster with its two default nodegroups; returns its uuid."""

    def make(status, nodegroups=("CREATE_COMPLETE", "CREATE_COMPLETE"), template=template, **more):
        uuid = uuidutils.generate_uuid()
        with engine.writer() as session:
            session.add(
                models.Cluster(
                    uuid=uuid,
                    name="cluster",
                    project_id=PROJECT,
                    user_id=USER,
                    cluster_template_id=template,
                    status=status,
                    stack_id="stack",
                    **more,
                )
            )
            for role, state in zip(("master", "worker"), nodegroups, strict=True):
                session.add(make_nodegroup(uuid, f"default-{role}", role, state, is_default=True))
        return uuid

    return make


def make_nodegroup(cluster, name, role, status, *, is_default=False):
    return models.NodeGroup(
        uuid=uuidutils.generate_uuid(),
        name=name,
        cluster_id=cluster,
        project_id=PROJECT,
        role=role,
        status=status,
        node_count=1,
        is_default=is_default,
    )
