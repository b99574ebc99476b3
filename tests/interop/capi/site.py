"""A cloud with magnumlite in it: conductor, broker, database, OpenStack, management cluster."""

import contextlib
import json
import shlex
import signal
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import sqlalchemy as sa

from magnumlite import context, exception, objects
from magnumlite.db import engine, models
from magnumlite.db.own_models import Operation
from magnumlite.rpc import client
from tests.functional.process.tree import Tree
from tests.interop.capi import helm
from tests.interop.capi.controllers import Release
from tests.interop.capi.management import ManagementCluster
from tests.interop.driver_environment import Environment
from tests.servers import keystone
from tests.servers.keystone import PASSWORD, PROJECT, PROJECT_ID, USER, USER_ID, Keystone

NAMESPACE = f"magnum-{PROJECT_ID}"
IMAGES = {"1.30.1": str(uuid.UUID(int=1)), "1.31.2": str(uuid.UUID(int=2))}
UNVERSIONED = str(uuid.UUID(int=3))
SMALL, LARGE = "tiny", "large"
NETWORK, SUBNET, EXTERNAL = (str(uuid.UUID(int=number)) for number in (11, 12, 13))

#: Seconds that a test waits for what must come: no test asserts a time it could miss.
PATIENCE = 300.0


def furnish(cloud: Keystone) -> None:
    """Put into a cloud what a cluster needs."""
    cloud.content.update(
        regions=[{"id": keystone.REGION}],
        flavors=[
            {"id": SMALL, "name": SMALL, "ram": 512, "vcpus": 1},
            {"id": LARGE, "name": LARGE, "ram": 8192, "vcpus": 4},
        ],
        images=[
            *(
                {"id": ident, "name": version, "os_distro": "ubuntu", "kube_version": f"v{version}"}
                for version, ident in IMAGES.items()
            ),
            {"id": UNVERSIONED, "name": "plain", "os_distro": "ubuntu"},
        ],
        networks=[
            {"id": NETWORK, "name": "nodes", "router:external": False},
            {"id": EXTERNAL, "name": "internet", "router:external": True},
        ],
        subnets=[{"id": SUBNET, "name": "nodes-v4", "network_id": NETWORK}],
        types=[{"id": "1", "name": "Fast SSD"}, {"id": "2", "name": "slow"}],
    )


class Polls(NamedTuple):
    """How often something was asked for."""

    status: int
    health: int


class Site:
    """Starts conductors on it, asks them for things and looks at what becomes of them."""

    def __init__(
        self,
        directory: Path,
        environment: Environment,
        cloud: Keystone,
        management: ManagementCluster,
        vhost_url: str,
        database: str,
    ) -> None:
        self.cloud = cloud
        self.management = management
        self.kubeconfig = directory / "kubeconfig"
        self.tree: Tree | None = None
        self.program = directory / "bin" / "helm"
        self.temporary = directory / "tmp"  # where the conductor's temporary files are
        self.temporary.mkdir()
        self._directory = directory
        self._environment = environment
        self._record = directory / "helm.jsonl"
        management.write(self.kubeconfig)
        self._install_helm()
        self.options = {
            "host": "capi",
            "transport_url": vhost_url,
            "use_stderr": "true",
            "database.connection": database,
            "conductor.workers": "1",
            "certificates.cert_manager_type": "x509keypair",
            "sync.interval": "1",
            "sync.backoff_min": "1",
            "sync.backoff_max": "2",
            "kubernetes.health_polling_interval": "1",
            "capi_helm.kubeconfig_file": str(self.kubeconfig),
            "cinder_client.region_name": keystone.REGION,
            "keystone_auth.auth_url": cloud.auth_url,
            "keystone_auth.username": USER,
            "keystone_auth.password": PASSWORD,
            "keystone_auth.project_name": PROJECT,
            "keystone_auth.user_domain_id": "default",
            "keystone_auth.project_domain_id": "default",
        }

    def _install_helm(self) -> None:
        self.program.parent.mkdir()
        command = shlex.join([sys.executable, "-I", "-S", str(helm.__file__), str(self._record)])
        self.program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        self.program.chmod(0o755)

    @contextlib.contextmanager
    def conductor(self) -> Iterator[Tree]:
        """Run a conductor with magnum-capi-helm, for the block."""
        variables = self._environment.variables(["capi-helm"])
        for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
            # For requests they come before the CA of the kubeconfig.
            variables[name] = ""
        variables["TMPDIR"] = str(self.temporary)
        variables["PATH"] = str(self.program.parent)  # no helm but ours
        command = [self._environment.program("magnumlite-conductor")]
        self.tree = Tree(self._directory, command, self.options, variables)
        try:
            self.tree.wait_for("1 of 1 RPC workers consume")
            yield self.tree
            self.tree.send(signal.SIGTERM)
            assert self.tree.wait() == 0
            # The driver keeps the key of its kubeconfig in files.
            assert list(self.temporary.iterdir()) == []
        finally:
            self.tree.end()

    @property
    def api(self) -> client.API:
        """What magnum-api has, for a user who has just logged in."""
        return self.api_of(USER_ID)

    def api_of(self, user_id: str) -> client.API:
        """Return what magnum-api has for another user of the project."""
        return client.API(self.context(user_id), timeout=60)

    def context(self, user_id: str = USER_ID) -> context.RequestContext:
        """Return a request's context with a token of the cloud's."""
        return context.RequestContext(
            auth_token=self.cloud.issue(),
            auth_url=self.cloud.auth_url,
            user_id=user_id,
            project_id=PROJECT_ID,
            is_admin=False,
        )

    def template(self, version: str = "1.30.1", **fields: Any) -> objects.ClusterTemplate:
        """Add a template for the driver, which is found by what it provides."""
        made = objects.ClusterTemplate(
            self.context(),
            **{
                "uuid": str(uuid.uuid4()),
                "name": version,
                "project_id": PROJECT_ID,
                "user_id": USER_ID,
                "server_type": "vm",
                "cluster_distro": "ubuntu",
                "coe": "kubernetes",
                "image_id": IMAGES.get(version, version),
                "flavor_id": LARGE,
                "master_flavor_id": LARGE,
                "external_network_id": "internet",
                "network_driver": "calico",
                "dns_nameserver": "192.0.2.53",
                "labels": {},
                **fields,
            },
        )
        made.create()
        return made

    def cluster(
        self, name: str, template: objects.ClusterTemplate | None = None, **fields: Any
    ) -> objects.Cluster:
        """Return a cluster as magnum-api makes it, not yet created."""
        template = template or self.template()
        return objects.Cluster(
            self.context(),
            **{
                "uuid": str(uuid.uuid4()),
                "name": name,
                "project_id": PROJECT_ID,
                "user_id": USER_ID,
                "cluster_template_id": template.uuid,
                "flavor_id": template.flavor_id,
                "master_flavor_id": template.master_flavor_id,
                "fixed_network": "nodes",
                "fixed_subnet": "nodes-v4",
                "keypair": "key",
                "create_timeout": 60,
                "labels": {},
                "master_lb_enabled": True,
                "floating_ip_enabled": True,
                **fields,
            },
        )

    def created(
        self, name: str, template: objects.ClusterTemplate | None = None, **fields: Any
    ) -> objects.Cluster:
        """Create a cluster of one master and one worker and wait for it."""
        cluster = self.cluster(name, template, **fields)
        return self.after(
            cluster, lambda: self.api.cluster_create_async(cluster, 1, 1, 60), "CREATE_COMPLETE"
        )

    def row(self, cluster: Any) -> objects.Cluster:
        """Return a cluster as its row is now."""
        return objects.Cluster.get_by_uuid(self.context(), cluster.uuid)

    def after(self, cluster: Any, ask: Callable[[], Any], status: str) -> objects.Cluster:
        """Return the cluster when the operation that is asked for has ended, in this status."""
        before = len(self.operations(cluster))
        ask()
        self.until(lambda: len(self.operations(cluster)) > before, f"acceptance for {cluster.name}")
        self.until(
            lambda: all(operation.finished_at for operation in self.operations(cluster)),
            f"end of what is open on {cluster.name}",
        )
        found = self.row(cluster)
        assert found.status == status, f"{found.status}: {found.status_reason}"
        return found

    def find(self, cluster: Any) -> objects.Cluster | None:
        """Return a cluster as its row is now, None if there is none."""
        try:
            return self.row(cluster)
        except exception.ClusterNotFound:
            return None

    def nodegroup(self, cluster: Any, name: str) -> objects.NodeGroup:
        """Return the nodegroup with that name."""
        (found,) = [each for each in self.row(cluster).nodegroups if each.name == name]
        return found

    def operations(self, cluster: Any) -> list[Operation]:
        """Return the journal of a cluster, in order."""
        with engine.reader() as session:
            query = sa.select(Operation).where(Operation.cluster_uuid == cluster.uuid)
            rows = list(session.scalars(query.order_by(Operation.id)))
            session.expunge_all()
            return rows

    def release(self, cluster: Any) -> Release:
        """Return a cluster's release in the management cluster."""
        return self.management.releases.of(NAMESPACE, str(self.row(cluster).stack_id))

    def polled(self, cluster: Any, times: int) -> None:
        """Return when the status of a cluster has been polled so often from now on."""

        def count() -> int:
            return self.polls(str(cluster.stack_id)).status

        enough = count() + times
        self.until(lambda: count() >= enough, f"poll of {cluster.name}")

    def polls(self, name: str = "") -> Polls:
        """Return how often a cluster, or any, has been asked for its status and its health."""
        with self.management.lock:
            read = [*self.management.read.items()]

        def count(kind: str) -> int:
            return sum(n for (plural, which), n in read if plural == kind and name in ("", which))

        # Health is asked of the Cluster too, and it alone of the infrastructure.
        health = count("openstackclusters")
        return Polls(count("clusters") - health, health)

    def install(self, name: str) -> Release:
        """Make a release of one master without the driver."""
        values = {
            "kubernetesVersion": "1.30.1",
            "controlPlane": {"machineCount": 1},
            "nodeGroups": [],
        }
        management = self.management
        namespace = {
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": {"name": NAMESPACE},
        }
        with management.lock:
            management.objects.apply("namespaces", "", NAMESPACE, namespace)
            management.releases.upgrade(NAMESPACE, name, values)
            return management.releases.of(NAMESPACE, name)

    def machines(self, cluster: Any) -> list[dict[str, Any]]:
        """Return the machines of a cluster."""
        labels = {"cluster.x-k8s.io/cluster-name": cluster.stack_id}
        with self.management.lock:
            return self.management.objects.select("machines", NAMESPACE, labels)

    def helm(self, cluster: Any) -> list[dict[str, Any]]:
        """Return the calls of helm for a cluster."""
        calls = [json.loads(line) for line in self._record.read_text().splitlines()]
        return [call for call in calls if call["arguments"][1] == cluster.stack_id]

    def gone(self, cluster: Any) -> None:
        """Return when nothing is left of a cluster; `cluster` is how it was last."""
        self.until(lambda: self.find(cluster) is None, f"end of {cluster.name}")
        self.until(lambda: not self.left(cluster), f"end of what {cluster.name} has left")

    def left(self, cluster: Any) -> dict[str, Any]:
        """Return everything there is of a cluster: rows, certificates, objects, credentials."""
        name = str(cluster.stack_id)
        with engine.reader() as session:
            count = sa.func.count()
            rows = {
                model.__tablename__: session.scalar(
                    sa.select(count).select_from(model).where(column == value)
                )
                for model, column, value in (
                    (models.Cluster, models.Cluster.uuid, cluster.uuid),
                    (models.NodeGroup, models.NodeGroup.cluster_id, cluster.uuid),
                )
            }
            rows["certificates"] = session.scalar(
                sa.select(count)
                .select_from(models.X509KeyPair)
                .where(
                    models.X509KeyPair.uuid.in_(
                        [
                            cluster.ca_cert_ref,
                            cluster.magnum_cert_ref,
                            cluster.etcd_ca_cert_ref,
                            cluster.front_proxy_ca_cert_ref,
                        ]
                    )
                )
            )
        with self.management.lock:
            there = self.management.objects.names(NAMESPACE)
        credentials = [each["name"] for each in self.cloud.credentials]
        return {
            **{table: number for table, number in rows.items() if number},
            **{each: True for each in there if f"/{name}" in each},
            **{each: True for each in credentials if cluster.uuid in each},
        }

    def until(self, condition: Callable[[], Any], what: str) -> None:
        """Return when a condition holds."""
        assert self.tree is not None
        end = time.monotonic() + PATIENCE
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"no {what} in:\n{self.tree.text()[-8000:]}")
            time.sleep(0.1)
