"""The monitor interface."""

import inspect
from typing import Any

import pytest

from magnumlite.drivers import monitors, registry


class Monitor(monitors.MonitorBase):
    @property
    def metrics_spec(self) -> dict[str, dict[str, str]]:
        return {"load": {"unit": "%", "func": "compute_load"}}

    def pull_data(self) -> None:
        """Have nothing to pull."""

    def compute_load(self) -> int:
        return 42


def test_metrics_are_looked_up_in_the_spec() -> None:
    monitor = Monitor("context", "cluster")
    assert (monitor.context, monitor.cluster) == ("context", "cluster")
    assert list(monitor.get_metric_names()) == ["load"]
    assert monitor.get_metric_unit("load") == "%"
    assert monitor.compute_metric_value("load") == 42


def test_two_members_are_for_the_driver_to_write() -> None:
    assert monitors.MonitorBase.__abstractmethods__ == {"metrics_spec", "pull_data"}
    assert str(inspect.signature(monitors.create_monitor)).startswith("(context")


@pytest.mark.parametrize("given", [None, "monitor"])
def test_the_monitor_is_what_the_driver_gives(
    monkeypatch: pytest.MonkeyPatch, given: str | None
) -> None:
    class Driver:
        def get_monitor(self, context: Any, cluster: Any) -> str | None:
            assert (context, cluster) == ("context", Cluster)
            return given

    class Cluster:
        uuid = "the-cluster"

    monkeypatch.setattr(registry, "for_cluster", lambda context, cluster, template: Driver())
    assert monitors.create_monitor("context", Cluster) == given
