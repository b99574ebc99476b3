"""The life of one cluster, asked for through RPC as magnum-api does, and how it should go."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from oslo_log import log as logging

from magnumlite import exception, objects
from magnumlite.conductor import states
from magnumlite.conf import CONF
from magnumlite.rpc.client import API
from magnumlite.sandbox import view
from magnumlite.sandbox.caller import request
from magnumlite.sandbox.ledger import Ledger

LOG = logging.getLogger(__name__)

STEPS = ("create", "resize", "upgrade", "delete")

# Names of the template clusters are made from, and of the one they are upgraded to.
TEMPLATES = ("sandbox-v1", "sandbox-v2")

NODES = 1
NODES_AFTER_RESIZE = 3
REFUSED = "refused"
GONE = "gone"

# Seconds that a final state may come after its event: a failed delete is told before it is
# saved (contract/notifications.md).
_GRACE = 5.0


@dataclass(frozen=True)
class Outcome:
    """How one step of one cluster ended."""

    cluster: str
    step: str
    expected: str
    ended: str
    seconds: float
    reason: str

    @property
    def as_it_should(self) -> bool:
        """Whether the step ended as it should."""
        return self.ended == self.expected


@dataclass(frozen=True)
class Stage:
    """What all clusters of a play share."""

    ledger: Ledger
    template: Any
    next_template: Any  # what an upgrade goes to
    labels: dict[str, str]
    fail: str | None  # the step that the driver was told to fail
    timeout: float  # seconds for one step


@dataclass
class Scenario:
    """One cluster from create to gone."""

    name: str
    stage: Stage
    uuid: str = field(default_factory=lambda: str(uuid.uuid4()))

    def play(self, step: str) -> Outcome:
        """Ask for a step, wait for the event that ends it, and look at the result.

        Pre: step is one of STEPS; the steps before it have ended.
        """
        ask: Callable[[], None] = getattr(self, f"_{step}")
        before = view.one(self.uuid)
        expected = self._expected(step, before.status if before else "")
        since = len(self.stage.ledger)
        begun = time.monotonic()
        ended, reason = "", ""
        try:
            ask()
        except exception.NotSupported as error:
            ended, reason = REFUSED, str(error)
        except Exception as error:
            # Whatever the driver raised. How the step ended the event and the row tell.
            LOG.info("%s of cluster %s was answered by: %s", step, self.uuid, error)
            reason = str(error)
        if not ended:
            ended, reason = self._await(step, before, since, reason)
        return Outcome(self.name, step, expected, ended, time.monotonic() - begun, reason)

    def _await(
        self, step: str, before: view.ClusterView | None, since: int, reason: str
    ) -> tuple[str, str]:
        action = "update" if step in ("resize", "upgrade") else step
        event = self.stage.ledger.wait_for(self.uuid, action, since, self.stage.timeout)
        after = self._settled(step)
        status = after.status if after else GONE
        if event is None:
            return f"no end after {self.stage.timeout:g} s, is {status}", reason
        if after is None:
            return GONE, ""
        if before and after.status == before.status and event.outcome == "failure":
            # A resize from UPDATE_FAILED is accepted: the same status again is a new failure.
            refused = before.status not in states.RESIZABLE
            return (REFUSED if refused else status), reason or after.reason
        return self._inspect(step, after), reason or after.reason

    def _settled(self, step: str) -> view.ClusterView | None:
        """Return the cluster once nothing of it is in progress, or after a moment as it is."""
        end = time.monotonic() + _GRACE
        while True:
            now = view.one(self.uuid)
            if now is None or time.monotonic() > end:
                return now
            moving = [now.status, *(group.status for group in now.nodegroups)]
            if not any(states.in_progress(status) for status in moving) and (
                step != "delete" or states.failed(now.status)
            ):
                return now
            time.sleep(0.05)

    @staticmethod
    def _inspect(step: str, now: view.ClusterView) -> str:
        """Return the status, with what is wrong with the cluster although it shows success."""
        if not states.complete(now.status):
            return now.status
        wrong = [
            f"{group.name} {group.status}"
            for group in now.nodegroups
            if not states.complete(group.status)
        ]
        if step == "resize" and now.node_count != NODES_AFTER_RESIZE:
            wrong.append(f"{now.node_count} nodes")
        if step == "upgrade" and now.template != TEMPLATES[1]:
            wrong.append(f"template {now.template}")
        return f"{now.status} but {', '.join(wrong)}" if wrong else now.status

    def _expected(self, step: str, status: str) -> str:
        told_to_fail = self.stage.fail == step
        if step == "delete":
            return "DELETE_FAILED" if told_to_fail else GONE
        if step == "create":
            return "CREATE_FAILED" if told_to_fail else "CREATE_COMPLETE"
        allowed = states.RESIZABLE if step == "resize" else states.COMPLETE
        if CONF.conductor.retry_from_failed:
            allowed |= states.RETRIABLE
        if status not in allowed:
            return REFUSED
        return "UPDATE_FAILED" if told_to_fail else "UPDATE_COMPLETE"

    # The requests, as magnum-api sends them (contract/rpc.json).

    def _create(self) -> None:
        context = request()
        template = self.stage.template
        labels = dict(self.stage.labels)
        if self.stage.fail is not None:
            labels["simulated_fail"] = self.stage.fail
        cluster = objects.Cluster(
            context,
            uuid=self.uuid,
            name=self.name,
            project_id=context.project_id,
            user_id=context.user_id,
            cluster_template_id=template.uuid,
            keypair=template.keypair_id,
            labels=labels,
            flavor_id=template.flavor_id,
            master_flavor_id=template.master_flavor_id,
            docker_volume_size=template.docker_volume_size,
            fixed_network=template.fixed_network,
            fixed_subnet=template.fixed_subnet,
            floating_ip_enabled=template.floating_ip_enabled,
            master_lb_enabled=template.master_lb_enabled,
            create_timeout=60,
        )
        API(context).cluster_create_async(cluster, 1, NODES, 60)

    def _resize(self) -> None:
        context = request()
        cluster = objects.Cluster.get_by_uuid(context, self.uuid)
        API(context).cluster_resize_async(
            cluster, NODES_AFTER_RESIZE, [], cluster.default_ng_worker
        )

    def _upgrade(self) -> None:
        context = request()
        cluster = objects.Cluster.get_by_uuid(context, self.uuid)
        API(context).cluster_upgrade(
            cluster, self.stage.next_template, 1, cluster.default_ng_worker
        )

    def _delete(self) -> None:
        API(request()).cluster_delete_async(self.uuid)


def make_template(name: str, driver_name: str, kind: dict[str, str], **fields: Any) -> Any:
    """Save a template for a driver and return it.

    `kind` is an entry of the driver's `provides`; `fields` win over the sandbox's.

    Raises:
        ValueError: a template cannot have such a kind.
    """
    context = request()
    defaults: dict[str, Any] = {
        "name": name,
        "driver": driver_name,
        "coe": kind.get("coe") or "kubernetes",
        "cluster_distro": kind.get("os"),
        "server_type": kind.get("server_type") or "vm",
        "image_id": "sandbox-image",
        "keypair_id": "sandbox-key",
        "flavor_id": "m1.small",
        "master_flavor_id": "m1.small",
        "external_network_id": "public",
        "fixed_network": None,
        "fixed_subnet": None,
        "network_driver": "calico",
        "docker_volume_size": None,
        "floating_ip_enabled": True,
        "master_lb_enabled": False,
        "tls_disabled": False,
        "public": False,
        "registry_enabled": False,
        "hidden": False,
        "labels": {},
    }
    template = objects.ClusterTemplate(
        context,
        uuid=str(uuid.uuid4()),
        project_id=context.project_id,
        user_id=context.user_id,
        **(defaults | fields),
    )
    template.create()
    return template
