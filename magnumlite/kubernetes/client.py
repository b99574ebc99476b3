"""Asking clusters' APIs: one client per cluster, kept and shared by the whole process.

Driver packages see KubernetesAPI as magnum.conductor.k8s_api.KubernetesAPI (contract/drivers.md).
"""

from __future__ import annotations

import collections
import contextlib
import json
import resource
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple
from urllib.parse import quote

from magnumlite.kubernetes import identity
from magnumlite.kubernetes.address import Address
from magnumlite.kubernetes.connection import SHOWN, Answer, Connection
from magnumlite.kubernetes.errors import KubernetesError

__all__ = ["CLIENTS", "Clients", "KubernetesAPI", "KubernetesError"]


class _Made(NamedTuple):
    """What a client was made from: when any of it changes there is a new one."""

    api_address: str
    ca_cert_ref: str | None
    magnum_cert_ref: str | None


class Clients:
    """The kept connections of this process, by cluster. Safe for any thread.

    At most `most_open` stay open, the least recently used is closed first; TLS contexts stay, so
    that a closed one opens again without a look at the certificate store.
    """

    def __init__(self, most_open: int | None = None) -> None:
        self._most_open = most_open
        self._lock = threading.Lock()
        self._kept: dict[str, tuple[_Made, Connection]] = {}
        self._recent: collections.OrderedDict[str, None] = collections.OrderedDict()

    def connection(self, context: Any, cluster: Any) -> Connection:
        """Return the cluster's connection; certificates are read only when it has to be made.

        Raises:
            KubernetesError: the address cannot be used.
            and whatever the certificate store raises.
        """
        made = _Made(cluster.api_address, cluster.ca_cert_ref, cluster.magnum_cert_ref)
        with self._lock:
            kept = self._kept.get(cluster.uuid)
            if kept is not None and kept[0] == made:
                self._touch(cluster.uuid)
                return kept[1]
        address = Address.parse(cluster.api_address or "")
        tls = identity.tls_context(context, cluster) if address.scheme == "https" else None
        connection = Connection(address, tls)
        with self._lock:
            before = self._kept.get(cluster.uuid)
            self._kept[cluster.uuid] = (made, connection)
            self._touch(cluster.uuid)
        if before is not None:
            before[1].close()
        return connection

    def forget(self, cluster_uuid: str) -> None:
        """Close and drop a cluster's connection and TLS context."""
        with self._lock:
            kept = self._kept.pop(cluster_uuid, None)
            self._recent.pop(cluster_uuid, None)
        if kept is not None:
            kept[1].close()

    def keep_only(self, cluster_uuids: Iterable[str]) -> None:
        """Forget all clusters but these."""
        wanted = set(cluster_uuids)
        with self._lock:
            gone = [each for each in self._kept if each not in wanted]
        for cluster_uuid in gone:
            self.forget(cluster_uuid)

    def __len__(self) -> int:
        return len(self._kept)

    def _touch(self, cluster_uuid: str) -> None:
        self._recent[cluster_uuid] = None
        self._recent.move_to_end(cluster_uuid)
        while len(self._recent) > (self._most_open or _half_of_descriptors()):
            oldest, _ = self._recent.popitem(last=False)
            self._kept[oldest][1].close()


CLIENTS = Clients()


class KubernetesAPI:
    """One cluster's API, asked as the conductor with the cluster's client certificate.

    Raises, when made: as Clients.connection.
    """

    def __init__(self, context: Any, cluster: Any) -> None:
        self.context = context
        self.cluster = cluster
        self._connection = CLIENTS.connection(context, cluster)

    def get_healthz(self) -> str:
        """Return the text of /healthz, "ok" when all is well.

        Raises:
            KubernetesError: no answer, or a status other than success.
        """
        return self._get("/healthz").decode(errors="replace")

    def list_node(self) -> dict[str, Any]:
        """Return the NodeList: {"items": [...]}; raises as get_healthz, and for bad JSON."""
        return self._list("/api/v1/nodes")

    def list_namespaced_pod(self, namespace: str) -> dict[str, Any]:
        """Return the PodList of a namespace; raises as list_node."""
        return self._list(f"/api/v1/namespaces/{quote(namespace, safe='')}/pods")

    def _list(self, path: str) -> dict[str, Any]:
        try:
            answer = json.loads(self._get(path))
            if isinstance(answer["items"], list):
                return dict(answer)
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise KubernetesError(f"GET {self._connection.address}{path}: not a list in JSON")

    def _get(self, path: str) -> bytes:
        answer = self._connection.get(path)
        if answer.status // 100 != 2:
            raise KubernetesError(f"GET {self._connection.address}{path}: {_refusal(answer)}")
        return answer.body


def _refusal(answer: Answer) -> str:
    """Return the status and what the API says about it: a Status object's message, or text."""
    text = answer.body[: 64 * SHOWN].decode(errors="replace").strip()
    with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError):
        text = str(json.loads(text)["message"])
    return f"HTTP {answer.status} {answer.phrase}: {text[:SHOWN]}".rstrip(": ")


def _half_of_descriptors() -> int:
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return 2**20 if soft == resource.RLIM_INFINITY else max(8, soft // 2)
