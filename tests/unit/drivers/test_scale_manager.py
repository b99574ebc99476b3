"""Which nodes go when a cluster shrinks."""

import logging
from types import SimpleNamespace
from typing import Any

import pytest

from magnumlite import exception, objects
from magnumlite.drivers import registry, scale_manager


class Manager(scale_manager.ScaleManager):
    busy: set[str] = set()

    def _get_hosts_with_container(self, context: Any, cluster: Any) -> set[str]:
        return self.busy


def make(monkeypatch: pytest.MonkeyPatch, old: int, new: int, **kwargs: Any) -> Manager:
    monkeypatch.setattr(
        objects.Cluster, "get_by_uuid", lambda context, uuid: SimpleNamespace(node_count=old)
    )
    cluster = SimpleNamespace(uuid="the-cluster", node_count=new)
    return kwargs.pop("kind", Manager)("context", "osclient", cluster)


def test_nothing_goes_from_a_cluster_that_does_not_shrink(monkeypatch: pytest.MonkeyPatch) -> None:
    assert make(monkeypatch, 3, 3).get_removal_nodes(None) == []
    assert make(monkeypatch, 3, 5).get_removal_nodes(["a"]) == []


def test_empty_hosts_go(monkeypatch: pytest.MonkeyPatch) -> None:
    manager = make(monkeypatch, 4, 2)
    manager.busy = {"b"}
    assert manager.get_removal_nodes(["a", "b", "c", "d"]) == ["a", "c"]


def test_too_few_empty_hosts_are_warned_of(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    manager = make(monkeypatch, 4, 1)
    manager.busy = {"b", "c"}
    with caplog.at_level(logging.WARNING):
        assert manager.get_removal_nodes(["a", "b", "c"]) == ["a"]
    assert "the-cluster" in caplog.text


def test_unknown_hosts_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(exception.MagnumException, match="the-cluster"):
        make(monkeypatch, 2, 1).get_removal_nodes(None)


def test_hosts_of_pods_are_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The API's key is nodeName; a pending pod has none."""
    pods = {"items": [{"spec": {"nodeName": "b"}}, {"spec": {}}]}

    class API:
        def __init__(self, context: Any, cluster: Any) -> None:
            """Need no cluster."""

        def list_namespaced_pod(self, namespace: str) -> dict[str, Any]:
            assert namespace == "default"
            return pods

    monkeypatch.setattr(scale_manager.client, "KubernetesAPI", API)
    manager = make(monkeypatch, 2, 1, kind=scale_manager.K8sScaleManager)
    assert manager.get_removal_nodes(["b", "a"]) == ["a"]


def test_the_scale_manager_is_what_the_driver_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    driver = SimpleNamespace(get_scale_manager=lambda *arguments: arguments)
    monkeypatch.setattr(registry, "for_cluster", lambda context, cluster: driver)
    given = scale_manager.get_scale_manager("context", "osclient", "cluster")
    assert given == ("context", "osclient", "cluster")
