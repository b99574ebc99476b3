"""The monitor for clusters with a Kubernetes API that the conductor can reach.

Driver packages see this module as magnum.drivers.common.k8s_monitor (contract/drivers.md).
"""

from __future__ import annotations

from typing import Any

from oslo_utils import strutils

from magnumlite.drivers.monitors import MonitorBase
from magnumlite.kubernetes.client import KubernetesAPI, KubernetesError
from magnumlite.kubernetes.quantity import get_k8s_quantity
from magnumlite.objects import fields

HEALTHY = fields.ClusterHealthStatus.HEALTHY
UNHEALTHY = fields.ClusterHealthStatus.UNHEALTHY
UNKNOWN = fields.ClusterHealthStatus.UNKNOWN


class K8sMonitor(MonitorBase):
    """Asks /healthz and the nodes. `data` holds the verdict and what the metrics need."""

    def __init__(self, context: Any, cluster: Any) -> None:
        super().__init__(context, cluster)
        self.data: dict[str, Any] = {"nodes": [], "pods": []}

    @property
    def metrics_spec(self) -> dict[str, dict[str, str]]:
        """Return the metrics: memory_util and cpu_util, in percent."""
        return {
            "memory_util": {"unit": "%", "func": "compute_memory_util"},
            "cpu_util": {"unit": "%", "func": "compute_cpu_util"},
        }

    def pull_data(self) -> None:
        """Fetch the nodes' capacity, and the limits of the pods of namespace default."""
        api = KubernetesAPI(self.context, self.cluster)
        nodes = api.list_node()["items"]
        pods = api.list_namespaced_pod("default")["items"]
        self.data["nodes"] = [_amounts(node["status"]["capacity"]) for node in nodes]
        self.data["pods"] = [_limits(pod) for pod in pods]

    def compute_memory_util(self) -> float:
        """Memory limits of the pods in percent of the nodes' memory, 0 without nodes."""
        return self._share("Memory")

    def compute_cpu_util(self) -> float:
        """CPU limits of the pods in percent of the nodes' CPUs, 0 without nodes."""
        return self._share("Cpu")

    def _share(self, what: str) -> float:
        capacity = sum(node[what] for node in self.data["nodes"])
        used = sum(pod[what] for pod in self.data["pods"])
        return used * 100 / capacity if capacity else 0

    def poll_health_status(self) -> None:
        """Put a verdict into `data`: health_status and health_status_reason, or neither.

        No verdict for a cluster that its own healer reports on, nor for one without an address
        (known defect B39). A reason always tells under "api" what the API said or what failed.

        Raises: what the certificate store raises; then there is no verdict either.
        """
        self.data.pop("health_status", None)
        self.data.pop("health_status_reason", None)
        if self._heals_itself():
            return
        if not self._accessible():
            self._judge(UNKNOWN, {"api": f"The cluster {self.cluster.name} is not accessible."})
        elif self.cluster.api_address:
            self._judge(*self._ask())

    def _judge(self, status: str, reason: dict[str, Any]) -> None:
        self.data["health_status"] = status
        self.data["health_status_reason"] = reason

    def _ask(self) -> tuple[str, dict[str, Any]]:
        reason: dict[str, Any] = {}
        try:
            api = KubernetesAPI(self.context, self.cluster)
            healthz = api.get_healthz()
            nodes = api.list_node()["items"]
        except KubernetesError as error:
            return UNHEALTHY, {"api": error.message}
        for node in nodes:
            reason[f"{_name(node)}.Ready"] = _ready(node)
        healthy = healthz == "ok" and all(reason.values())
        if not nodes and (wanted := self.cluster.node_count):
            healthy = False
            reason["nodes"] = f"0 of {wanted}"
        reason["api"] = healthz
        return (HEALTHY if healthy else UNHEALTHY), reason

    def _label(self, name: str, default: Any = None) -> Any:
        return (self.cluster.labels or {}).get(name, default)

    def _heals_itself(self) -> bool:
        return (
            strutils.bool_from_string(self._label("auto_healing_enabled", False))
            and self._label("auto_healing_controller") == "magnum-auto-healer"
        )

    def _accessible(self) -> bool:
        floating = self.cluster.floating_ip_enabled
        if self.cluster.master_lb_enabled:
            floating = self._label("master_lb_floating_ip_enabled", floating)
        return bool(strutils.bool_from_string(floating))


def _name(node: Any) -> str:
    try:
        return str(node["metadata"]["name"])
    except (KeyError, TypeError):
        return "unnamed"


def _ready(node: Any) -> bool:
    """Tell whether the first Ready condition is true; without one the node is not ready (B39)."""
    try:
        conditions = node["status"]["conditions"]
        status = next(each["status"] for each in conditions if each["type"] == "Ready")
    except (KeyError, TypeError, StopIteration):
        return False
    return bool(strutils.bool_from_string(status))


def _amounts(resources: dict[str, Any]) -> dict[str, float]:
    return {
        "Memory": get_k8s_quantity(resources.get("memory", 0)),
        "Cpu": get_k8s_quantity(resources.get("cpu", 0)),
    }


def _limits(pod: dict[str, Any]) -> dict[str, float]:
    each = [
        _amounts((container.get("resources") or {}).get("limits") or {})
        for container in pod["spec"]["containers"]
    ]
    return {what: sum(amounts[what] for amounts in each) for what in ("Memory", "Cpu")}
