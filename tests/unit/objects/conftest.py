import uuid

import pytest

from magnumlite import objects
from tests.conftest import PROJECT, USER


@pytest.fixture
def template(database, context):
    made = objects.ClusterTemplate(
        context, name="t", project_id=PROJECT, user_id=USER, coe="kubernetes"
    )
    made.create()
    return made


@pytest.fixture
def cluster(template, context):
    made = objects.Cluster(
        context,
        uuid=str(uuid.uuid4()),
        name="c",
        project_id=PROJECT,
        user_id=USER,
        cluster_template_id=template.uuid,
        status="CREATE_COMPLETE",
        labels={"a": "1"},
    )
    made.create()
    for role, count in (("master", 3), ("worker", 2)):
        objects.NodeGroup(
            context,
            uuid=str(uuid.uuid4()),
            name=f"default-{role}",
            cluster_id=made.uuid,
            project_id=PROJECT,
            role=role,
            is_default=True,
            node_count=count,
            node_addresses=[f"{role}-{number}" for number in range(count)],
        ).create()
    return made


@pytest.fixture
def statements():
    """The SQL statements that run; clear it to begin to count."""
    import sqlalchemy as sa

    from magnumlite.db import engine

    seen = []

    def note(connection, cursor, statement, *rest):
        if statement.startswith(("SELECT", "INSERT", "UPDATE", "DELETE")):
            seen.append(statement)

    sa.event.listen(engine.engine(), "before_cursor_execute", note)
    return seen
