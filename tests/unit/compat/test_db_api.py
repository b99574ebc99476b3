"""Inserting rows without a context."""

from typing import Any

import pytest

from magnumlite import exception, objects
from magnumlite.compat import db_api

VALUES: dict[str, dict[str, Any]] = {
    "cluster": {"uuid": "u", "name": "n", "project_id": "p", "cluster_template_id": "t"},
    "cluster_template": {"uuid": "u", "name": "n", "project_id": "p"},
    "federation": {"uuid": "u", "name": "n", "project_id": "p"},
    "magnum_service": {"host": "h", "binary": "b"},
    "nodegroup": {"uuid": "u", "name": "n", "cluster_id": "c", "project_id": "p"},
    "quota": {"project_id": "p", "resource": "Cluster", "hard_limit": 3},
    "x509keypair": {"uuid": "u", "project_id": "p", "user_id": "x"},
}


@pytest.mark.parametrize("noun", VALUES)
def test_a_row_is_inserted_and_returned(database: str, noun: str) -> None:
    row = getattr(db_api.get_instance(), f"create_{noun}")(VALUES[noun])
    assert row.id == 1
    assert {name: getattr(row, name) for name in VALUES[noun]} == VALUES[noun]


def test_objects_read_it(database: str, admin: Any) -> None:
    db_api.get_instance().create_cluster(VALUES["cluster"])
    assert objects.Cluster.get_by_uuid(admin, "u").name == "n"
    with pytest.raises(exception.ClusterAlreadyExists):
        db_api.get_instance().create_cluster(VALUES["cluster"])
