"""What operations and polls ask of the database: counts that must not creep up.

Magnum 23.0.0 sends 70 statements a create, transaction control included, and 4 a poll.
"""

from typing import Any

from tests.statements import counted
from tests.unit.conductor.conftest import House

#: How a pool looks for work and renews its claims, at any time: not the operation's.
LOOKS = (
    "NOT (EXISTS (SELECT",
    "magnumlite_operation.running_key IS NOT NULL ORDER BY",
    "magnumlite_operation.process = ? AND magnumlite_operation.started_at IS NULL",
    "UPDATE magnumlite_operation SET heartbeat_at",
)


def test_a_create(house: House) -> None:
    house.create()
    cluster = house.new_cluster()
    with counted(LOOKS) as sent:
        house.api.cluster_create(cluster, 1, 3, 60)
    assert len(sent) <= 28, str(sent)


def test_a_poll_that_finds_nothing_new(house: House, admin: Any) -> None:
    cluster = house.create()
    cluster.status = "UPDATE_IN_PROGRESS"
    cluster.save()
    house.poll(cluster.uuid)  # adopts it
    with counted(LOOKS) as sent:
        house.poll(cluster.uuid)
    assert len(sent) <= 1, str(sent)
    assert sent.transactions <= 1, str(sent)
