"""The monitors of real drivers, run by our health sweep against a management cluster."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interop.driver_environment import Environment
from tests.interop.kubernetes_store import KubernetesStore

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

#: Makes a cluster of the driver `driver`, has its health checked, and tells what came of it.
CHECK = """
    import os
    os.environ["KUBECONFIG"] = {kubeconfig!r}
    from magnumlite import context, objects
    from magnumlite.conf import CONF
    from magnumlite.db import schema
    from magnumlite.drivers import monitors
    from magnumlite.periodic.health import HealthSweep

    CONF.set_override("connection", "sqlite:///{database}", "database")
    if {driver!r} == "k8s_capi_helm_v1":
        # The driver's own option.
        from magnum_capi_helm import conf
        CONF.set_override("kubeconfig_file", {kubeconfig!r}, "capi_helm")
    objects.register_all()
    schema.upgrade()
    admin = context.make_admin_context(all_tenants=True)
    template = objects.ClusterTemplate(
        admin, uuid="5b7a6c1e-0000-4000-8000-000000000001", name="t", project_id="p", user_id="u",
        driver={driver!r}, coe="kubernetes", server_type="vm", cluster_distro="ubuntu",
        image_id="i", labels={{}}, network_driver="calico", volume_driver="cinder",
    )
    template.create()
    cluster = objects.Cluster(
        admin, uuid="5b7a6c1e-0000-4000-8000-000000000002", name="c", stack_id="kube-abc",
        project_id="p", user_id="u", cluster_template_id=template.uuid,
        labels={{"kube_tag": "v1.30.1"}}, status="CREATE_COMPLETE", api_address="https://192.0.2.1:6443",
    )
    cluster.create()
    for number, role in enumerate(("master", "worker")):
        objects.NodeGroup(
            admin, uuid="5b7a6c1e-0000-4000-8000-00000000001%d" % number,
            name="default-" + role, cluster_id=cluster.uuid, project_id="p", role=role,
            node_count=1, is_default=True, status="CREATE_COMPLETE", labels={{}},
        ).create()
    made = monitors.create_monitor(admin, cluster)
    sweep = HealthSweep(None, lambda uuid: True)
    for _ in range({times}):
        sweep.check(cluster.uuid)
    found = objects.Cluster.get_by_uuid(admin, cluster.uuid)
    answer = [
        type(made).__module__, isinstance(made, monitors.MonitorBase), made.pull_data(),
        found.health_status, dict(found.health_status_reason or {{}}),
    ]
"""

MONITORS = {
    "k8s_capi_helm_v1": ("capi-helm", "magnum_capi_helm.common.capi_monitor"),
    "k8s_cluster_api_ubuntu": ("cluster-api", "magnum_cluster_api.monitor"),
}


@pytest.fixture
def management() -> Iterator[KubernetesStore]:
    with KubernetesStore() as store:
        yield store


def checked(
    environment: Environment, management: KubernetesStore, directory: Path, driver: str, times: int
) -> Any:
    kubeconfig = directory / "kubeconfig"
    management.write(kubeconfig)
    code = textwrap.dedent(CHECK).format(
        driver=driver, kubeconfig=str(kubeconfig), database=directory / "magnum.sqlite", times=times
    )
    return environment.ask([MONITORS[driver][0]], code)


def ready(kind: str, name: str, ready: bool = True, **labels: str) -> dict[str, Any]:
    """A Cluster API object whose conditions are all true, or all false."""
    return {
        "apiVersion": "cluster.x-k8s.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": "n", "labels": labels},
        "spec": {
            "clusterName": "kube-abc",
            "bootstrap": {},
            "infrastructureRef": {},
            "replicas": 1,
            "version": "v1.30.1",
            "machineTemplate": {"infrastructureRef": {}},
            "kubeadmConfigSpec": {},
        },
        "status": {
            "phase": "Running" if ready else "Failed",
            "nodeRef": {"name": name},
            "ready": ready,
            "readyReplicas": int(ready),
            "replicas": 1,
            "conditions": [
                {"type": kind, "status": str(ready), "lastTransitionTime": "2026-01-01T00:00:00Z"}
                for kind in (
                    "Ready",
                    "Available",
                    "NodeHealthy",
                    "ControlPlaneReady",
                    "InfrastructureReady",
                )
            ],
        },
    }


def furnish(management: KubernetesStore, whole: bool) -> None:
    """Put a cluster into the namespaces that the two drivers look at."""
    capi = "/apis/cluster.x-k8s.io/v1beta1/namespaces"
    control = "/apis/controlplane.cluster.x-k8s.io/v1beta1/namespaces"
    infrastructure = "/apis/infrastructure.cluster.x-k8s.io/v1beta1/namespaces"
    of = {"cluster.x-k8s.io/cluster-name": "kube-abc"}
    for path, kind in (
        (f"{capi}/magnum-p/clusters/kube-abc", "Cluster"),
        (f"{infrastructure}/magnum-p/openstackclusters/kube-abc", "OpenStackCluster"),
        (f"{control}/magnum-p/kubeadmcontrolplanes/kube-abc-control-plane", "KubeadmControlPlane"),
        (f"{capi}/magnum-p/machinedeployments/kube-abc-default-worker", "MachineDeployment"),
        (f"{control}/magnum-system/kubeadmcontrolplanes/kube-abc-x", "KubeadmControlPlane"),
        (f"{capi}/magnum-system/machines/kube-abc-x-1", "Machine"),
    ):
        management.keep(path, ready(kind, path.rpartition("/")[2], whole, **of))


@pytest.mark.parametrize("driver", MONITORS)
@pytest.mark.parametrize("whole", [True, False], ids=["whole", "broken"])
def test_its_verdict_is_the_clusters_health(
    environment: Environment,
    management: KubernetesStore,
    tmp_path: Path,
    driver: str,
    whole: bool,
) -> None:
    furnish(management, whole)
    module, ours, pulled, status, reason = checked(environment, management, tmp_path, driver, 1)
    assert (module, ours, pulled) == (MONITORS[driver][1], True, None)
    assert status == ("HEALTHY" if whole else "UNHEALTHY")
    if whole:
        assert set(reason.values()) <= {"Ready", "ok"}
    else:
        assert not set(reason.values()) & {"Ready", "ok"}


@pytest.mark.parametrize(
    ("driver", "status", "reason"),
    [
        ("k8s_capi_helm_v1", "UNHEALTHY", {"cluster": "Cluster resource not found."}),
        # It raises: after three times in a row nobody knows any more (B40).
        ("k8s_cluster_api_ubuntu", "UNKNOWN", {}),
    ],
)
def test_a_cluster_that_is_not_there_is_told(
    environment: Environment,
    management: KubernetesStore,
    tmp_path: Path,
    driver: str,
    status: str,
    reason: dict[str, str],
) -> None:
    found = checked(environment, management, tmp_path, driver, 3)
    assert found[3] == status
    assert found[4].items() >= reason.items()
    if status == "UNKNOWN":
        assert found[4]["api"].startswith("Cannot be checked since ")
        assert "KubeadmControlPlane" in found[4]["api"]
