"""What an operator sees of each failure that the driver can meet, and what is left after it."""

import contextlib
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import oslo_messaging
import pytest
import sqlalchemy as sa

from magnumlite import objects
from magnumlite.db import engine
from magnumlite.db.own_models import Operation
from tests.interop.capi.controllers import Release
from tests.interop.capi.site import IMAGES, LARGE, NAMESPACE, SMALL, UNVERSIONED, Site
from tests.servers.keystone import PROJECT_ID

pytestmark = pytest.mark.timeout(1200)  # the environment is made first


def test_requests_that_the_cloud_cannot_serve(site: Site) -> None:
    """Each ends with the reason; each can be deleted, with nothing left."""
    gone = str(uuid.uuid4())
    asked = {
        "plain image": (
            site.cluster("plain", site.template(UNVERSIONED)),
            rf"Image {UNVERSIONED} does not have a kube_version property",
        ),
        "image that is gone": (
            site.cluster("gone", site.template(gone)),
            # The driver says no more; the place does.
            r"AttributeError: 'NoneType' object has no attribute 'id' \(in _get_image_details,",
        ),
        "small flavor": (
            site.cluster("small", flavor_id=SMALL, master_flavor_id=SMALL),
            rf"Flavor {SMALL} does not have enough RAM .* Minimum 2048 MB",
        ),
        "no network": (
            site.cluster("netless", fixed_network="nowhere"),
            r"nowhere",
        ),
        "no subnet": (
            site.cluster("subnetless", fixed_subnet="nowhere-v4"),
            r"nowhere-v4",
        ),
        "no external network": (
            site.cluster("inside", site.template(external_network_id="outside")),
            r"outside",
        ),
    }
    for cluster, _ in asked.values():
        site.api.cluster_create_async(cluster, 1, 1, 60)
    for what, (cluster, reason) in asked.items():
        failed = ended(site, cluster)
        assert failed.status == "CREATE_FAILED", what
        assert re.search(reason, failed.status_reason), (what, failed.status_reason)
        groups = [(group.status, group.status_reason) for group in failed.nodegroups]
        assert groups == [("CREATE_FAILED", failed.status_reason)] * 2
    rid_of(site, *(cluster for cluster, _ in asked.values()))


def test_a_keystone_that_refuses(site: Site) -> None:
    """The user's token has run out; later the service's own rights delete what there is."""
    cluster = site.cluster("late")
    api = site.api
    site.cloud.tokens.clear()
    api.cluster_create_async(cluster, 1, 1, 60)
    failed = ended(site, cluster)
    assert failed.status == "CREATE_FAILED"
    assert "Keystone refused the credentials" in failed.status_reason
    rid_of(site, cluster)


def test_a_service_that_fails(site: Site) -> None:
    cluster = site.cluster("unimaged")
    site.cloud.fail = lambda service, path: 500 if service == "image" else None
    site.api.cluster_create_async(cluster, 1, 1, 60)
    failed = ended(site, cluster)
    assert failed.status == "CREATE_FAILED"
    assert "500" in failed.status_reason
    assert "/image/v2/images" in failed.status_reason
    rid_of(site, cluster)


def test_a_helm_that_fails(site: Site) -> None:
    """What helm says on stderr is in the reason."""
    cluster = site.cluster("chartless")
    site.management.releases.error = "INSTALLATION FAILED: chart 0.10.1 not found"
    site.api.cluster_create_async(cluster, 1, 1, 60)
    failed = ended(site, cluster)
    assert failed.status == "CREATE_FAILED"
    assert "Exit code: 1" in failed.status_reason
    assert "Error: INSTALLATION FAILED: chart 0.10.1 not found" in failed.status_reason
    # A deletion that helm refuses can be asked for again.
    site.management.releases.error = "the lease is taken"
    site.api.cluster_delete_async(cluster.uuid)
    site.until(lambda: site.row(cluster).status == "DELETE_FAILED", "failed deletion")
    assert "Error: the lease is taken" in site.row(cluster).status_reason
    site.management.releases.error = None
    rid_of(site, cluster)


def test_a_helm_that_is_not_installed(site: Site) -> None:
    cluster = site.cluster("helmless")
    elsewhere = site.program.rename(site.program.with_suffix(".away"))
    site.api.cluster_create_async(cluster, 1, 1, 60)
    failed = ended(site, cluster)
    elsewhere.rename(site.program)
    assert failed.status == "CREATE_FAILED"
    assert "No such file or directory: 'helm'" in failed.status_reason
    rid_of(site, cluster)


@pytest.mark.parametrize(
    ("trouble", "reason"),
    [
        (401, "401 Client Error"),
        (500, "500 Server Error"),
        (None, "Connection refused"),
    ],
    ids=["refuses", "fails", "is away"],
)
def test_a_management_cluster_that(site: Site, trouble: int | None, reason: str) -> None:
    cluster = site.cluster(f"trouble {trouble}")
    with in_trouble(site, trouble):
        site.api.cluster_create_async(cluster, 1, 1, 60)
        failed = ended(site, cluster)
        assert failed.status == "CREATE_FAILED"
        assert reason in failed.status_reason
        assert f"/api/v1/namespaces/{NAMESPACE}" in failed.status_reason
    rid_of(site, cluster)


def test_changes_that_fail_can_be_tried_again(site: Site) -> None:
    cluster = site.created("steady")
    resize_that_helm_refuses(site, cluster)
    upgrade_to_a_plain_image(site, cluster)
    nodegroup_that_helm_refuses(site, cluster)
    nodegroup_whose_deletion_misses_a_network(site, cluster)
    management_cluster_away_during_a_resize(site, cluster)
    management_cluster_with_new_credentials(site, cluster)
    credential_that_keystone_refuses(site, cluster)
    rid_of(site, cluster)


def resize_that_helm_refuses(site: Site, cluster: Any) -> None:
    worker = site.nodegroup(cluster, "default-worker")
    site.management.releases.error = "UPGRADE FAILED: another operation is in progress"
    failed = site.after(
        cluster,
        lambda: site.api.cluster_resize_async(site.row(cluster), 2, [], worker),
        "UPDATE_FAILED",
    )
    assert "Error: UPGRADE FAILED: another operation is in progress" in failed.status_reason
    worker = site.nodegroup(cluster, "default-worker")
    assert (worker.node_count, worker.status) == (1, "UPDATE_FAILED")
    assert worker.status_reason == failed.status_reason
    site.management.releases.error = None
    resized(site, cluster, 2)


def upgrade_to_a_plain_image(site: Site, cluster: Any) -> None:
    before = site.row(cluster).cluster_template_id
    template = site.template(UNVERSIONED)
    with pytest.raises(oslo_messaging.RemoteError, match="kube_version"):
        site.api.cluster_upgrade(site.row(cluster), template, 1, None)
    failed = site.row(cluster)
    assert failed.status == "UPDATE_FAILED"
    assert "does not have a kube_version property" in failed.status_reason
    assert failed.cluster_template_id == before
    assert {group.status for group in failed.nodegroups} == {"UPDATE_FAILED"}
    resized(site, cluster, 1)
    assert site.helm(cluster)[-1]["values"]["machineImageId"] == IMAGES["1.30.1"]
    assert {group.status for group in site.row(cluster).nodegroups} == {"UPDATE_COMPLETE"}


def nodegroup_that_helm_refuses(site: Site, cluster: Any) -> None:
    site.management.releases.error = "UPGRADE FAILED: no room"
    failed = site.after(
        cluster,
        lambda: site.api.nodegroup_create_async(site.row(cluster), extra(site, cluster, "unlucky")),
        "UPDATE_FAILED",
    )
    assert failed.status_reason.startswith("Nodegroup unlucky: ")
    assert "Error: UPGRADE FAILED: no room" in failed.status_reason
    assert site.nodegroup(cluster, "unlucky").status == "CREATE_FAILED"
    site.management.releases.error = None
    deleted = site.after(
        cluster,
        lambda: site.api.nodegroup_delete_async(
            site.row(cluster), site.nodegroup(cluster, "unlucky")
        ),
        "UPDATE_COMPLETE",
    )
    assert "unlucky" not in [group.name for group in deleted.nodegroups]


def nodegroup_whose_deletion_misses_a_network(site: Site, cluster: Any) -> None:
    """What is "not found" is the network, not the nodegroup, whose machines are there."""
    site.after(
        cluster,
        lambda: site.api.nodegroup_create_async(site.row(cluster), extra(site, cluster, "extra")),
        "UPDATE_COMPLETE",
    )
    networks = site.cloud.content["networks"]
    site.cloud.content["networks"] = [each for each in networks if each["name"] != "nodes"]
    nodegroup = site.nodegroup(cluster, "extra")
    failed = site.after(
        cluster,
        lambda: site.api.nodegroup_delete_async(site.row(cluster), nodegroup),
        "UPDATE_FAILED",
    )
    assert failed.status_reason.startswith("Nodegroup extra: ")
    assert "nodes" in failed.status_reason
    assert site.nodegroup(cluster, "extra").status == "DELETE_FAILED"
    site.cloud.content["networks"] = networks
    site.after(
        cluster,
        lambda: site.api.nodegroup_delete_async(site.row(cluster), nodegroup),
        "UPDATE_COMPLETE",
    )
    assert len(site.row(cluster).nodegroups) == 2


def management_cluster_away_during_a_resize(site: Site, cluster: Any) -> None:
    """The state stays open, its health says why, and it ends when the API is back."""
    release = site.release(cluster)
    release.held = True
    worker = site.nodegroup(cluster, "default-worker")
    site.api.cluster_resize(site.row(cluster), 2, [], worker)
    with site.management.away():
        site.until(lambda: site.row(cluster).health_status == "UNKNOWN", "unknown health")
        shown = site.row(cluster)
        assert shown.status == "UPDATE_IN_PROGRESS"
        assert "Connection" in shown.health_status_reason["api"]
    release.held = False
    site.until(lambda: site.row(cluster).status == "UPDATE_COMPLETE", "end of the resize")
    site.until(lambda: site.row(cluster).health_status == "HEALTHY", "health")


def management_cluster_with_new_credentials(site: Site, cluster: Any) -> None:
    """A kubeconfig that is replaced counts without a restart, for polls and for operations."""
    release = site.release(cluster)
    release.held = True
    worker = site.nodegroup(cluster, "default-worker")
    site.api.cluster_resize(site.row(cluster), 1, [], worker)
    site.polled(cluster, 1)
    site.management.renew(site.kubeconfig)
    release.held = False
    site.until(lambda: site.row(cluster).status == "UPDATE_COMPLETE", "end of the resize")
    # Operations find out when one fails that asks the API itself, as a create does.
    second = site.cluster("second")
    site.api.cluster_create_async(second, 1, 1, 60)
    if ended(site, second).status == "CREATE_FAILED":
        assert "certificate" in site.row(second).status_reason.lower()
    rid_of(site, second)


def credential_that_keystone_refuses(site: Site, cluster: Any) -> None:
    refused: Callable[[str, str], int | None] = lambda service, path: (  # noqa: E731
        403 if "application_credentials" in path else None
    )
    site.cloud.fail = refused
    before = [*site.cloud.credentials]
    with pytest.raises(oslo_messaging.RemoteError, match="403"):
        site.api.credential_rotate(site.row(cluster))
    assert site.cloud.credentials == before
    site.cloud.fail = lambda service, path: None


def test_a_cluster_that_fails_in_the_management_cluster(site: Site) -> None:
    """B06: the driver knows no failure of a cloud; the deadline tells what health knows."""

    def without_cloud(release: Release) -> None:
        release.cloud = "Quota exceeded for resources: ['ports']"

    site.management.releases.prepare = without_cloud
    cluster = site.cluster("cloudless")
    site.api.cluster_create_async(cluster, 1, 1, 60)
    site.until(lambda: site.find(cluster), "row")
    site.until(
        lambda: "Quota" in str(site.row(cluster).health_status_reason), "health of the cloud"
    )
    assert site.row(cluster).status == "CREATE_IN_PROGRESS"
    with engine.writer() as session:
        session.execute(
            sa.update(Operation)
            .where(Operation.cluster_uuid == cluster.uuid)
            .values(deadline_at=engine.seconds_ago(1))
        )
    failed = ended(site, cluster)
    assert failed.status == "CREATE_FAILED"
    assert "was not finished in" in failed.status_reason
    assert "infrastructure: UpdateError: Quota exceeded" in failed.status_reason
    # It is watched on, and the cloud has room after all.
    site.release(cluster).cloud = None
    site.until(lambda: site.row(cluster).status == "CREATE_COMPLETE", "late end of the create")
    rid_of(site, cluster)


def test_parts_that_fail_in_the_management_cluster(site: Site) -> None:
    """The driver gives no reasons: what health knows is told."""

    def broken(release: Release) -> None:
        release.broken = {"default-worker"} if "machineless" in release.name else set()
        release.lost_addon = "csi-cinder" if "addonless" in release.name else None

    site.management.releases.prepare = broken
    machineless, addonless = site.cluster("machineless"), site.cluster("addonless")
    for cluster in (machineless, addonless):
        site.api.cluster_create_async(cluster, 1, 1, 60)
    # The verdict on the cluster itself is the driver's.
    created = ended(site, machineless)
    assert created.status == "CREATE_COMPLETE", created.status_reason
    worker = site.nodegroup(machineless, "default-worker")
    assert worker.status == "CREATE_FAILED"
    assert worker.status_reason.startswith("The driver reports CREATE_FAILED and no reason")
    failed = ended(site, addonless)
    assert failed.status == "CREATE_FAILED"
    assert failed.status_reason.startswith("The driver reports CREATE_FAILED and no reason")
    rid_of(site, machineless, addonless)


@contextlib.contextmanager
def in_trouble(site: Site, status: int | None) -> Iterator[None]:
    """Have the management API answer a status, or nothing, for the block."""
    if status is None:
        with site.management.away():
            yield
    else:
        site.management.status = status
        yield
        site.management.status = None


def ended(site: Site, cluster: Any) -> objects.Cluster:
    """Return a cluster when nothing is open on it."""
    site.until(lambda: site.operations(cluster), f"acceptance for {cluster.name}")
    site.until(
        lambda: all(operation.finished_at for operation in site.operations(cluster)),
        f"end of what is open on {cluster.name}",
    )
    return site.row(cluster)


def resized(site: Site, cluster: Any, count: int) -> None:
    worker = site.nodegroup(cluster, "default-worker")
    site.after(
        cluster,
        lambda: site.api.cluster_resize_async(site.row(cluster), count, [], worker),
        "UPDATE_COMPLETE",
    )
    worker = site.nodegroup(cluster, "default-worker")
    assert (worker.node_count, worker.status_reason) == (count, None)


def extra(site: Site, cluster: Any, name: str) -> objects.NodeGroup:
    return objects.NodeGroup(
        site.context(),
        uuid=str(uuid.uuid4()),
        name=name,
        cluster_id=cluster.uuid,
        project_id=PROJECT_ID,
        flavor_id=LARGE,
        image_id=IMAGES["1.30.1"],
        node_count=1,
        min_node_count=1,
        role="worker",
        is_default=False,
        labels={},
    )


def rid_of(site: Site, *clusters: Any) -> None:
    """Delete clusters; nothing must be left of them."""
    last = [site.row(cluster) for cluster in clusters]
    for cluster in clusters:
        site.api.cluster_delete_async(cluster.uuid)
    for cluster in last:
        site.gone(cluster)
