"""The objects of a management cluster, and what its API server refuses."""

import base64
import re
from collections.abc import Mapping
from typing import Any

#: Plural name -> API version and kind of what is installed.
KINDS = {
    "namespaces": ("v1", "Namespace"),
    "secrets": ("v1", "Secret"),
    "clusters": ("cluster.x-k8s.io/v1beta1", "Cluster"),
    "machines": ("cluster.x-k8s.io/v1beta1", "Machine"),
    "machinedeployments": ("cluster.x-k8s.io/v1beta1", "MachineDeployment"),
    "openstackclusters": ("infrastructure.cluster.x-k8s.io/v1beta1", "OpenStackCluster"),
    "kubeadmcontrolplanes": ("controlplane.cluster.x-k8s.io/v1beta1", "KubeadmControlPlane"),
    "helmreleases": ("addons.stackhpc.com/v1alpha1", "HelmRelease"),
    "manifests": ("addons.stackhpc.com/v1alpha1", "Manifests"),
}

#: Objects on a page of a list.
PAGE = 2

_NAME = re.compile(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?")
_LABEL = re.compile(r"([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?")


class Refused(Exception):
    """An answer that is not a success."""

    def __init__(self, status: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.reason = reason


class Objects:
    """What is stored; namespaces are in the namespace ""."""

    def __init__(self) -> None:
        self._stored: dict[tuple[str, str, str], dict[str, Any]] = {}

    def find(self, plural: str, namespace: str, name: str) -> dict[str, Any] | None:
        """Return an object, None if there is none."""
        return self._stored.get((plural, namespace, name))

    def get(self, plural: str, namespace: str, name: str) -> dict[str, Any]:
        """Return an object.

        Raises: Refused.
        """
        found = self.find(plural, namespace, name)
        if found is None:
            raise Refused(404, "NotFound", f'{plural} "{name}" not found')
        return found

    def select(
        self, plural: str, namespace: str, labels: Mapping[str, str] | None = None
    ) -> list[dict[str, Any]]:
        """Return the objects of a namespace that have these labels, in the order of names."""
        return [
            stored
            for (kind, where, _), stored in sorted(self._stored.items())
            if (kind, where) == (plural, namespace)
            and (labels or {}).items() <= stored["metadata"].get("labels", {}).items()
        ]

    def page(
        self, plural: str, namespace: str, labels: Mapping[str, str], start: int
    ) -> dict[str, Any]:
        """Return a page of a list."""
        found = self.select(plural, namespace, labels)
        version, kind = KINDS[plural]
        more = str(start + PAGE) if len(found) > start + PAGE else ""
        return {
            "apiVersion": version,
            "kind": f"{kind}List",
            "metadata": {"continue": more, "resourceVersion": "1"},
            "items": found[start : start + PAGE],
        }

    def apply(self, plural: str, namespace: str, name: str, body: dict[str, Any]) -> dict[str, Any]:
        """Store an object as a server-side apply does.

        Raises: Refused.
        """
        metadata = body.get("metadata", {})
        if (body.get("apiVersion"), body.get("kind")) != KINDS[plural]:
            raise Refused(400, "BadRequest", f"not the version and kind of {plural}")
        if (metadata.get("name"), metadata.get("namespace", "")) != (name, namespace):
            raise Refused(400, "BadRequest", "name or namespace is not that of the URL")
        if not _NAME.fullmatch(name):
            raise Refused(422, "Invalid", f"metadata.name: Invalid value: {name!r}")
        for value in metadata.get("labels", {}).values():
            if not _LABEL.fullmatch(value):
                raise Refused(422, "Invalid", f"metadata.labels: Invalid value: {value!r}")
        if namespace and self.find("namespaces", "", namespace) is None:
            raise Refused(404, "NotFound", f'namespaces "{namespace}" not found')
        stored = dict(body)
        for key, text in stored.pop("stringData", {}).items():
            stored.setdefault("data", {})[key] = base64.b64encode(text.encode()).decode()
        self._stored[plural, namespace, name] = stored
        return stored

    def delete(self, plural: str, namespace: str, name: str) -> None:
        """Remove an object if it is there."""
        self._stored.pop((plural, namespace, name), None)

    def delete_all(self, plural: str, namespace: str, labels: Mapping[str, str]) -> None:
        """Remove the objects of a namespace that have these labels."""
        for stored in self.select(plural, namespace, labels):
            self.delete(plural, namespace, stored["metadata"]["name"])

    def names(self, namespace: str) -> list[str]:
        """Return "plural/name" of everything in a namespace, sorted."""
        return sorted(
            f"{plural}/{name}" for plural, where, name in self._stored if where == namespace
        )

    def secret(self, namespace: str, name: str) -> dict[str, str]:
        """Return the values of a secret.

        Raises: Refused.
        """
        data = self.get("secrets", namespace, name)["data"]
        return {key: base64.b64decode(value).decode() for key, value in data.items()}
