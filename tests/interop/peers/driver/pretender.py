"""An out-of-tree driver without a cloud, for magnum's conductor and ours alike.

Every operation is done at the first poll.  The label ``fail=OPERATION:KIND`` makes the driver's
call raise: KIND is a key of ERRORS.  Calls are lines of JSON in the file $PRETENDER_LOG.
"""

import json
import os
import uuid

from magnum.common import exception
from magnum.drivers.common import driver, k8s_monitor


class Busy(exception.NotSupported):
    """A class of the driver's own."""


class Clash(exception.MagnumException):
    """A class of the driver's own, with a code that none of its ancestors has."""

    code = 409


class Backend(Exception):
    """What a client library of the driver's raises."""


ERRORS = {
    "builtin": lambda: RuntimeError("the cloud is on fire"),
    "foreign": lambda: Backend("the cloud is on fire", object(), b"\xff"),
    "unsupported": lambda: exception.NotSupported("not with this driver"),
    "percent": lambda: exception.NotSupported("100% %(full)s"),
    "busy": lambda: Busy("the driver is busy", thing=object()),
    "clash": lambda: Clash("another stack has this name"),
}


class Driver(driver.Driver):
    """Does nothing, at once."""

    @property
    def provides(self):
        return [{"server_type": "vm", "os": "ubuntu", "coe": "kubernetes"}]

    def create_cluster(self, context, cluster, cluster_create_timeout):
        self._asked("create", cluster)
        cluster.stack_id = str(uuid.uuid4())

    def update_cluster(self, context, cluster, scale_manager=None, rollback=False):
        self._asked("update", cluster)

    def delete_cluster(self, context, cluster):
        self._asked("delete", cluster)

    def resize_cluster(
        self, context, cluster, resize_manager, node_count, nodes_to_remove, nodegroup=None
    ):
        self._asked("resize", cluster, nodes_to_remove=list(nodes_to_remove))

    def upgrade_cluster(
        self,
        context,
        cluster,
        cluster_template,
        max_batch_size,
        nodegroup,
        scale_manager=None,
        rollback=False,
    ):
        self._asked("upgrade", cluster)
        cluster.cluster_template_id = cluster_template.uuid

    def create_nodegroup(self, context, cluster, nodegroup):
        self._asked("create_nodegroup", cluster, nodegroup)
        nodegroup.stack_id = cluster.stack_id

    def update_nodegroup(self, context, cluster, nodegroup):
        self._asked("update_nodegroup", cluster, nodegroup)

    def delete_nodegroup(self, context, cluster, nodegroup):
        self._asked("delete_nodegroup", cluster, nodegroup)
        nodegroup.status = "DELETE_IN_PROGRESS"
        nodegroup.save()

    def rotate_ca_certificate(self, context, cluster):
        self._asked("rotate_ca", cluster)

    def rotate_credential(self, context, cluster):
        self._asked("rotate_credential", cluster)

    def create_federation(self, context, federation):
        raise NotImplementedError

    def update_federation(self, context, federation):
        raise NotImplementedError

    def delete_federation(self, context, federation):
        raise NotImplementedError

    def get_monitor(self, context, cluster):
        return k8s_monitor.K8sMonitor(context, cluster)

    def update_cluster_status(self, context, cluster):
        operation, _, state = (cluster.status or "").partition("_")
        if state != "IN_PROGRESS" or (operation == "CREATE" and not cluster.stack_id):
            return
        for nodegroup in cluster.nodegroups:
            self._finish(nodegroup)
        cluster.status = f"{operation}_COMPLETE"
        cluster.status_reason = None
        if operation == "CREATE":
            cluster.api_address = "https://127.0.0.1:1"
            cluster.coe_version = "v1.31.1"
        cluster.save()

    @staticmethod
    def _finish(nodegroup):
        operation, _, state = (nodegroup.status or "").partition("_")
        if state != "IN_PROGRESS":
            return
        if operation == "DELETE" and not nodegroup.is_default:
            nodegroup.destroy()
            return
        nodegroup.status = f"{operation}_COMPLETE"
        nodegroup.status_reason = None
        nodegroup.node_addresses = [f"10.0.0.{n}" for n in range(1, nodegroup.node_count + 1)]
        nodegroup.save()

    @staticmethod
    def _asked(operation, cluster, nodegroup=None, **more):
        with open(os.environ["PRETENDER_LOG"], "a") as log:
            line = {"operation": operation, "cluster": cluster.uuid, "pid": os.getpid(), **more}
            log.write(json.dumps(line) + "\n")
        for thing in (cluster, nodegroup):
            wanted, _, kind = ((thing and thing.labels) or {}).get("fail", "").partition(":")
            if wanted == operation:
                raise ERRORS[kind]()
