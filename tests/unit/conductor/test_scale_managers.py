"""Scale managers: asked for by update and resize, and handed to the driver's call.

The calls are those of magnum 23.0.0 (contract/rpc.json, `observed`).
"""

from __future__ import annotations

from typing import Any

import pytest

from magnumlite.drivers.scale_manager import ScaleManager

HOSTS = ["node-1", "node-2", "node-3"]


class Manager(ScaleManager):
    """Finds one host busy."""

    def _get_hosts_with_container(self, context: Any, cluster: Any) -> set[str]:
        return {"node-2"}


@pytest.fixture
def asked(house: Any) -> list[tuple[Any, ...]]:
    """The arguments of each get_scale_manager; the driver gives a Manager."""
    calls: list[tuple[Any, ...]] = []

    def get_scale_manager(*arguments: Any) -> Any:
        calls.append(arguments)
        return Manager(*arguments)

    house.driver.get_scale_manager = get_scale_manager
    return calls


def update(house: Any, cluster: Any, nodes: int) -> None:
    house.api.cluster_update(cluster, nodes, None, {})


def resize(house: Any, cluster: Any, nodes: int) -> None:
    house.api.cluster_resize(cluster, nodes, ["n1"], house.workers(cluster.uuid))


CHANGES = {"update_cluster": update, "resize_cluster": resize}


@pytest.mark.parametrize("method", CHANGES)
def test_it_is_asked_for_and_handed_over(
    house: Any, asked: list[tuple[Any, ...]], method: str
) -> None:
    cluster = house.create()
    CHANGES[method](house, cluster, 4)

    assert [[type(a).__name__ for a in arguments] for arguments in asked] == [
        ["RequestContext", "OpenStackClients", "Cluster"]
    ]
    ((name, arguments, _),) = [call for call in house.driver.calls if call[0] in CHANGES]
    assert name == method
    manager = arguments[2]
    assert isinstance(manager, Manager)
    rest = {"update_cluster": [False], "resize_cluster": [4, ["n1"]]}[method]
    assert list(arguments[3 : 3 + len(rest)]) == rest
    assert manager.new_cluster is arguments[1]


@pytest.mark.parametrize("method", CHANGES)
def test_without_one_the_driver_gets_none(house: Any, method: str) -> None:
    cluster = house.create()
    CHANGES[method](house, cluster, 4)
    ((_, arguments, _),) = [call for call in house.driver.calls if call[0] == method]
    assert arguments[2] is None


@pytest.mark.parametrize("method", CHANGES)
@pytest.mark.parametrize(
    ("nodes", "picked"), [(4, []), (2, ["node-1"]), (1, ["node-1", "node-3"]), (0, HOSTS[::2])]
)
def test_inside_the_call_it_knows_how_many_nodes_go(
    house: Any, asked: list[tuple[Any, ...]], method: str, nodes: int, picked: list[str]
) -> None:
    """The rows have the new size by then; the manager remembers the old one."""
    found: list[list[str]] = []
    house.driver.on[method] = lambda context, cluster, manager, *rest, **more: found.append(
        manager.get_removal_nodes(HOSTS)
    )
    cluster = house.create()  # of three workers
    CHANGES[method](house, cluster, nodes)
    assert found == [picked]


@pytest.mark.parametrize("method", CHANGES)
def test_one_that_cannot_be_made_fails_the_operation(house: Any, method: str) -> None:
    def get_scale_manager(*arguments: Any) -> Any:
        raise RuntimeError("no such project")

    cluster = house.create()
    house.driver.get_scale_manager = get_scale_manager
    with pytest.raises(RuntimeError, match="no such project"):
        CHANGES[method](house, cluster, 4)

    assert not [call for call in house.driver.calls if call[0] == method]
    failed = house.get(cluster.uuid)
    assert (failed.status, failed.status_reason) == ("UPDATE_FAILED", "no such project")
    assert house.workers(cluster.uuid).node_count == 3
