"""A driver of somebody else's package: it does what a label says and notes each call.

Found through PYTHONPATH.  FAULTS_DIRECTORY holds `calls`, lines of
"S|E TIME PID CLUSTER REQUEST CALL", and a lock file for each cluster that wants one.

The cluster's label `faults` is JSON, call name to what happens in it, in this order:
  alone   raise if another call is inside this cluster, in whatever process
  sleep   seconds
  hang    true: never return
  finish  true: bring everything to its end before the call returns
  saves   save that status, through an object of its own
  raises  raise a class of that `name`, with that `text`, so many `times`, and `code`;
          `tenant`: only for tenants
Calls: create, update, pre_delete, delete, resize, upgrade, nodegroup_create, nodegroup_update,
nodegroup_delete, rotate_ca, rotate_credential, poll.

A poll finishes whatever is in progress, unless it is told otherwise:
  never       do nothing
  status      set this on the cluster instead of a success, and save
  groups      "left": leave nodegroups as they are; "kept": rows of deleted ones stay
  addresses   set these on every nodegroup
"""

import contextlib
import fcntl
import json
import os
import threading
import time
import uuid

from magnum.common import exception
from magnum.drivers.common import driver
from magnum.objects import Cluster

_DIRECTORY = os.environ["FAULTS_DIRECTORY"]
_CALLS = os.open(os.path.join(_DIRECTORY, "calls"), os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)


class Driver(driver.Driver):
    @property
    def provides(self):
        return [{"server_type": "vm", "os": "faults", "coe": "kubernetes"}]

    def create_cluster(self, context, cluster, cluster_create_timeout):
        with _call(context, cluster, "create"):
            cluster.stack_id = str(uuid.uuid4())

    def update_cluster(self, context, cluster, scale_manager=None, rollback=False):
        with _call(context, cluster, "update"):
            pass

    def pre_delete_cluster(self, context, cluster):
        with _call(context, cluster, "pre_delete"):
            pass

    def delete_cluster(self, context, cluster):
        with _call(context, cluster, "delete"):
            pass

    def resize_cluster(
        self, context, cluster, resize_manager, node_count, nodes_to_remove, nodegroup=None
    ):
        with _call(context, cluster, f"resize:{nodegroup.name}:{node_count}"):
            pass

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
        with _call(context, cluster, "upgrade"):
            pass

    def create_nodegroup(self, context, cluster, nodegroup):
        with _call(context, cluster, f"nodegroup_create:{nodegroup.name}"):
            nodegroup.stack_id = str(uuid.uuid4())

    def update_nodegroup(self, context, cluster, nodegroup):
        with _call(context, cluster, f"nodegroup_update:{nodegroup.name}"):
            pass

    def delete_nodegroup(self, context, cluster, nodegroup):
        with _call(context, cluster, f"nodegroup_delete:{nodegroup.name}"):
            pass

    def rotate_ca_certificate(self, context, cluster):
        with _call(context, cluster, "rotate_ca"):
            pass

    def rotate_credential(self, context, cluster):
        with _call(context, cluster, "rotate_credential"):
            pass

    def update_cluster_status(self, context, cluster, use_admin_ctx=False):
        with _call(context, cluster, "poll") as script:
            if not script.get("never"):
                _finish(cluster, script)

    def create_federation(self, context, federation):
        raise NotImplementedError

    update_federation = delete_federation = create_federation


class GroupsDriver(Driver):
    """For scripts that leave nodegroups: it must not be known for settling them."""

    @property
    def provides(self):
        return [{"server_type": "vm", "os": "faults-groups", "coe": "kubernetes"}]


def _finish(cluster, script):
    for nodegroup in cluster.nodegroups if script.get("groups") != "left" else ():
        if "addresses" in script:
            nodegroup.node_addresses = script["addresses"]
        if nodegroup.status == "DELETE_IN_PROGRESS" and script.get("groups") != "kept":
            if not nodegroup.is_default:
                nodegroup.destroy()
        elif str(nodegroup.status).endswith("_IN_PROGRESS"):
            nodegroup.status = nodegroup.status.replace("IN_PROGRESS", "COMPLETE")
            nodegroup.save()
    if cluster.status.endswith("_IN_PROGRESS"):
        complete = cluster.status.replace("IN_PROGRESS", "COMPLETE")
        deleting = cluster.status.startswith("DELETE")
        cluster.status = complete if deleting else script.get("status", complete)
        cluster.status_reason = None
        cluster.save()


@contextlib.contextmanager
def _call(context, cluster, name):
    script = json.loads((cluster.labels or {}).get("faults", "{}")).get(name.split(":")[0], {})
    _note("S", context, cluster, name)
    try:
        with _alone(cluster) if script.get("alone") else contextlib.nullcontext():
            time.sleep(script.get("sleep", 0))
            if script.get("hang"):
                threading.Event().wait()
            if "saves" in script:
                own = Cluster.get_by_uuid(context, cluster.uuid)
                own.status = script["saves"]
                own.save()
            if script.get("finish"):
                _finish(cluster, {})
            _raise(script.get("raises", {}), context)
            yield script
    finally:
        _note("E", context, cluster, name)


def _raise(how, context):
    if not how or (how.get("tenant") and context.is_admin):
        return
    if how["name"] == "SystemExit":
        raise SystemExit(how.get("text"))
    if hasattr(exception, how["name"]):
        raise getattr(exception, how["name"])(how.get("text"))
    error = type(how["name"], (Exception,), {})(how.get("text", "") * how.get("times", 1))
    if "code" in how:
        error.code = how["code"]
    raise error


@contextlib.contextmanager
def _alone(cluster):
    path = os.path.join(_DIRECTORY, cluster.uuid)
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def _note(edge, context, cluster, name):
    line = f"{edge} {time.time():.6f} {os.getpid()} {cluster.uuid} {context.request_id} {name}\n"
    os.write(_CALLS, line.encode())
