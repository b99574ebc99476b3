"""A cluster of the simulated driver as the conductor would have made it."""

import uuid

from magnumlite import objects
from magnumlite.certs import authority
from tests.conftest import PROJECT, USER


def template(context, **values):
    row = objects.ClusterTemplate(
        context,
        **{
            "uuid": str(uuid.uuid4()),
            "project_id": PROJECT,
            "user_id": USER,
            "name": "simulated",
            "image_id": "image",
            "coe": "kubernetes",
            "server_type": "vm",
            "cluster_distro": "simulated-os",
            "driver": "simulated",
            "labels": {},
            **values,
        },
    )
    row.create()
    return row


def cluster(context, *, certificates=False, template_values=None, workers=2, **values):
    row = objects.Cluster(
        context,
        **{
            "uuid": str(uuid.uuid4()),
            "project_id": PROJECT,
            "user_id": USER,
            "name": "one",
            "status": "CREATE_IN_PROGRESS",
            "cluster_template_id": template(context, **(template_values or {})).uuid,
            "labels": {},
            "floating_ip_enabled": True,
            **values,
        },
    )
    if certificates:
        authority.generate(row, context).apply(row)
    row.create()
    for name, role, count in (
        ("default-master", "master", 1),
        ("default-worker", "worker", workers),
    ):
        nodegroup(context, row, name=name, role=role, node_count=count, is_default=True)
    return row


def nodegroup(context, cluster, **values):
    row = objects.NodeGroup(
        context,
        **{
            "uuid": str(uuid.uuid4()),
            "cluster_id": cluster.uuid,
            "project_id": PROJECT,
            "name": "extra",
            "role": "worker",
            "node_count": 1,
            "is_default": False,
            "status": "CREATE_IN_PROGRESS",
            "labels": {},
            **values,
        },
    )
    row.create()
    return row


def again(admin, row):
    """Return the row as it is now."""
    return objects.Cluster.get_by_uuid(admin, row.uuid)
