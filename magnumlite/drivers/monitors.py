"""The monitor interface: what a driver gives to tell the health of a cluster.

Driver packages see this module as magnum.conductor.monitors (contract/drivers.md).
"""

import abc
from typing import Any

from oslo_log import log

from magnumlite.drivers import registry

LOG = log.getLogger(__name__)


class MonitorBase(abc.ABC):
    """Health and metrics of one cluster.

    The health sweep calls poll_health_status() and then reads health_status (a
    fields.ClusterHealthStatus) and health_status_reason (a dict of strings) from `data`. Both
    are optional: a monitor without them gives no verdict.
    """

    def __init__(self, context: Any, cluster: Any) -> None:
        self.context = context
        self.cluster = cluster

    @property
    @abc.abstractmethod
    def metrics_spec(self) -> dict[str, dict[str, str]]:
        """Return the metrics: name to {"unit": ..., "func": name of the computing method}."""

    @abc.abstractmethod
    def pull_data(self) -> None:
        """Fetch what the metrics are computed from."""

    def get_metric_names(self) -> Any:
        """Names of the metrics."""
        return self.metrics_spec.keys()

    def get_metric_unit(self, metric_name: str) -> str:
        """Unit of one metric."""
        return self.metrics_spec[metric_name]["unit"]

    def compute_metric_value(self, metric_name: str) -> Any:
        """Value of one metric, from the data pulled last."""
        return getattr(self, self.metrics_spec[metric_name]["func"])()


def create_monitor(context: Any, cluster: Any, template: Any = None) -> Any:
    """Return the monitor that the cluster's driver gives, None when it gives none.

    A template the caller has already loaded saves the read.

    Raises: as registry.for_cluster, and whatever the driver raises.
    """
    monitor = registry.for_cluster(context, cluster, template).get_monitor(context, cluster)
    if not monitor:
        LOG.debug("The driver of cluster %s gives no monitor.", cluster.uuid)
        return None
    return monitor
