"""What Cluster API's controllers and the chart make of a Helm release, one step at a time.

Kinds, fields and conditions are those that magnum-capi-helm reads; names of objects and labels
are those of the chart openstack-cluster.
"""

from __future__ import annotations

from typing import Any

from tests.interop.capi.objects import KINDS, Objects, Refused

ADDONS = ("cni-calico", "csi-cinder")
CONTROL_PLANE_READY = (
    "MachinesReady",
    "Ready",
    "EtcdClusterHealthy",
    "ControlPlaneComponentsHealthy",
)


class Release:
    """One Helm release: a cluster on its way to what the values ask for, or to nothing.

    The tests set what goes wrong: `broken` names nodegroups whose machines fail, `lost_addon` an
    addon that cannot be installed, `cloud` why the infrastructure cannot be made. With `held`
    nothing goes on.
    """

    def __init__(self, objects: Objects, name: str, namespace: str) -> None:
        self.name = name
        self.namespace = namespace
        self.revision = 0
        self.values: dict[str, Any] = {}
        self.deleting = False
        self.held = False
        self.broken: set[str] = set()
        self.lost_addon: str | None = None
        self.cloud: str | None = None
        self._objects = objects
        self._port = 6443

    def upgrade(self, values: dict[str, Any]) -> None:
        """Take over what the chart makes of new values: nothing is ready any more.

        Raises: Refused.
        """
        self.values = values
        self.revision += 1
        version = f"v{values['kubernetesVersion']}"
        if self._find("clusters", self.name) is None:
            self._make("clusters", self.name)
            self._make("openstackclusters", self.name)
        control_plane = self._make("kubeadmcontrolplanes", f"{self.name}-control-plane")
        spec = {"replicas": values["controlPlane"]["machineCount"], "version": version}
        if control_plane["spec"] != spec:
            control_plane["spec"] = spec
            self._condition("Ready", False)
        wanted = {self._deployment(group): group for group in values["nodeGroups"]}
        for found in self._objects.select("machinedeployments", self.namespace, self._labels()):
            if found["metadata"]["name"] not in wanted:
                # Its machines go later.
                self._drop("machinedeployments", found["metadata"]["name"])
        for name, group in wanted.items():
            deployment = self._make("machinedeployments", name)
            deployment["spec"] = {"replicas": group["machineCount"], "version": version}
            deployment["group"] = group["name"]
            self._phase(deployment)
        for addon in ADDONS:
            made = self._make(
                "helmreleases" if addon.startswith("cni") else "manifests",
                f"{self.name}-{addon}",
                {"addons.stackhpc.com/cluster": self.name},
            )
            made.setdefault("status", {"phase": "Installing"})

    def uninstall(self) -> None:
        """Begin to remove everything that the chart has made."""
        self.deleting = True
        self._objects.get("clusters", self.namespace, self.name)["metadata"][
            "deletionTimestamp"
        ] = "2026-01-01T00:00:00Z"

    @property
    def gone(self) -> bool:
        """Whether nothing is left of the cluster."""
        return self._find("clusters", self.name) is None

    def step(self) -> None:
        """Go one step further."""
        if self.held or self.gone:
            return
        if self.deleting:
            self._tear_down()
            return
        ready = not (self._infrastructure() or self._control_plane())
        # Workers and addons say for themselves how they are: Cluster API does not wait for them.
        self._condition("Ready", ready)
        if ready:
            self._workers()
            self._addons()

    def _infrastructure(self) -> bool:
        """Make the load balancer, given a credential and the CAs; True if it is not there yet."""
        infrastructure = self._objects.get("openstackclusters", self.namespace, self.name)
        cluster = self._objects.get("clusters", self.namespace, self.name)
        if self.cloud:
            infrastructure["status"] = {
                "ready": False,
                "failureReason": "UpdateError",
                "failureMessage": self.cloud,
            }
            self._condition("InfrastructureReady", False)
            return True
        needed = [
            self.values["cloudCredentialsSecretName"],
            *(f"{self.name}-{which}" for which in ("ca", "etcd", "proxy", "sa")),
        ]
        if any(self._find("secrets", name) is None for name in needed):
            return True
        if infrastructure.get("status", {}).get("ready"):
            return False
        infrastructure["status"] = {"ready": True}
        cluster["spec"] = {"controlPlaneEndpoint": {"host": "192.0.2.10", "port": self._port}}
        self._condition("InfrastructureReady", True)
        return True

    def _control_plane(self) -> bool:
        name = f"{self.name}-control-plane"
        found = self._objects.get("kubeadmcontrolplanes", self.namespace, name)
        moved = self._roll(name, found["spec"], {"capi.stackhpc.com/component": "control-plane"})
        machines = self._machines(name)
        count = len(machines)
        current = [m for m in machines if m["spec"]["version"] == found["spec"]["version"]]
        found["status"] = {
            "replicas": count,
            "updatedReplicas": len(current),
            "readyReplicas": count,
            "version": min(machine["spec"]["version"] for machine in machines),
            "conditions": [
                {"type": kind, "status": str(not moved)} for kind in CONTROL_PLANE_READY
            ],
        }
        self._condition("ControlPlaneReady", not moved)
        return moved

    def _workers(self) -> None:
        """Scale one machine of each nodegroup a step."""
        for deployment in self._objects.select(
            "machinedeployments", self.namespace, self._labels()
        ):
            if deployment["group"] not in self.broken:
                self._roll(
                    deployment["metadata"]["name"],
                    deployment["spec"],
                    {
                        "capi.stackhpc.com/cluster": self.name,
                        "capi.stackhpc.com/component": "worker",
                        "capi.stackhpc.com/node-group": deployment["group"],
                    },
                )
            self._phase(deployment)
        self._drop_stray()

    def _phase(self, deployment: dict[str, Any]) -> None:
        """Write a nodegroup's state."""
        spec = deployment["spec"]
        machines = self._machines(deployment["metadata"]["name"])
        current = [machine for machine in machines if machine["spec"]["version"] == spec["version"]]
        good = len(machines) == len(current) == spec["replicas"]
        if deployment["group"] in self.broken:
            phase = "Failed"
        elif good:
            phase = "Running"
        else:
            phase = "ScalingDown" if len(machines) > spec["replicas"] else "ScalingUp"
        deployment["status"] = {
            "phase": phase,
            "replicas": len(machines),
            "conditions": [{"type": "Available", "status": str(good)}],
        }

    def _roll(self, owner: str, spec: dict[str, Any], labels: dict[str, str]) -> bool:
        """Add, remove or replace one machine; False if there was nothing to do."""
        machines = self._machines(owner)
        old = [machine for machine in machines if machine["spec"]["version"] != spec["version"]]
        if len(machines) > spec["replicas"] or old:
            self._drop("machines", (old or machines)[-1]["metadata"]["name"])
        elif len(machines) == spec["replicas"]:
            return False
        if len(self._machines(owner)) < spec["replicas"]:
            taken = {machine["metadata"]["name"] for machine in self._machines(owner)}
            free = next(n for n in range(99) if f"{owner}-{self.revision}-{n}" not in taken)
            machine = self._make("machines", f"{owner}-{self.revision}-{free}", labels)
            machine["owner"] = owner
            machine["spec"] = {"version": spec["version"]}
        return True

    def _drop_stray(self) -> None:
        """Remove one machine of a nodegroup that is gone."""
        for machine in self._objects.select("machines", self.namespace, self._labels()):
            owned = any(
                self._find(plural, machine["owner"])
                for plural in ("machinedeployments", "kubeadmcontrolplanes")
            )
            if not owned:
                self._drop("machines", machine["metadata"]["name"])
                return

    def _addons(self) -> None:
        labels = {"addons.stackhpc.com/cluster": self.name}
        for plural in ("helmreleases", "manifests"):
            for addon in self._objects.select(plural, self.namespace, labels):
                lost = addon["metadata"]["name"] == f"{self.name}-{self.lost_addon}"
                addon["status"] = {"phase": "Failed" if lost else "Deployed"}

    def _tear_down(self) -> None:
        """Remove one kind of thing a step; the Cluster is the last."""
        for plural in ("machines", *(kind for kind in KINDS if kind not in _KEPT)):
            found = self._objects.select(plural, self.namespace, self._labels())
            if found:
                for each in found:
                    self._drop(plural, each["metadata"]["name"])
                return
        self._drop("clusters", self.name)

    def _labels(self) -> dict[str, str]:
        return {"cluster.x-k8s.io/cluster-name": self.name}

    def _machines(self, owner: str) -> list[dict[str, Any]]:
        found = self._objects.select("machines", self.namespace, self._labels())
        return [machine for machine in found if machine["owner"] == owner]

    def _deployment(self, group: dict[str, Any]) -> str:
        return f"{self.name}-{group['name']}"

    def _find(self, plural: str, name: str) -> dict[str, Any] | None:
        return self._objects.find(plural, self.namespace, name)

    def _drop(self, plural: str, name: str) -> None:
        self._objects.delete(plural, self.namespace, name)

    def _make(self, plural: str, name: str, labels: dict[str, str] | None = None) -> dict[str, Any]:
        """Return an object of this release, made if it is not there."""
        found = self._find(plural, name)
        if found is not None:
            return found
        version, kind = KINDS[plural]
        body = {
            "apiVersion": version,
            "kind": kind,
            "metadata": {
                "name": name,
                "namespace": self.namespace,
                "labels": {**self._labels(), **(labels or {})},
            },
            "spec": {},
        }
        return self._objects.apply(plural, self.namespace, name, body)

    def _condition(self, kind: str, good: bool) -> None:
        """Set a condition of the Cluster."""
        status = self._objects.get("clusters", self.namespace, self.name).setdefault("status", {})
        conditions = [each for each in status.get("conditions", []) if each["type"] != kind]
        status["conditions"] = [*conditions, {"type": kind, "status": str(good)}]


#: What a release does not remove, or removes last.
_KEPT = ("namespaces", "secrets", "machines", "clusters")


class Releases:
    """What Helm knows: releases by namespace and name."""

    def __init__(self, objects: Objects) -> None:
        self._objects = objects
        self._known: dict[tuple[str, str], Release] = {}
        self._going: list[Release] = []
        #: Called with each new release.
        self.prepare: Any = lambda release: None
        #: What Helm says instead of doing anything.
        self.error: str | None = None

    def of(self, namespace: str, name: str) -> Release:
        """Return a release that is installed."""
        return self._known[namespace, name]

    def upgrade(self, namespace: str, name: str, values: dict[str, Any]) -> dict[str, Any]:
        """Install or upgrade; return what Helm prints.

        Raises: Refused.
        """
        self._refuse()
        if self._objects.find("namespaces", "", namespace) is None:
            raise Refused(500, "Helm", f'create: namespaces "{namespace}" not found')
        release = self._known.get((namespace, name))
        if release is None:
            release = Release(self._objects, name, namespace)
            self.prepare(release)
        release.upgrade(values)
        self._known[namespace, name] = release
        return {"name": name, "namespace": namespace, "version": release.revision}

    def uninstall(self, namespace: str, name: str) -> dict[str, Any]:
        """Uninstall.

        Raises: Refused.
        """
        self._refuse()
        release = self._known.pop((namespace, name), None)
        if release is None:
            raise Refused(404, "Helm", f"uninstall: Release not loaded: {name}: release: not found")
        release.uninstall()
        self._going.append(release)
        return {"release": name}

    def step(self) -> None:
        """Take every release one step further."""
        for release in [*self._known.values(), *self._going]:
            release.step()
        self._going = [release for release in self._going if not release.gone]

    def names(self, namespace: str) -> list[str]:
        """Return the releases of a namespace."""
        return [name for where, name in self._known if where == namespace]

    def _refuse(self) -> None:
        if self.error is not None:
            raise Refused(500, "Helm", self.error)
