"""A Magnum driver that sleeps as told, and logs the begin and the end of each call.

It is found through PYTHONPATH, so that no conductor's environment has to be changed.
  BENCH_DRIVER_LOG  file of lines "S|E create|poll TIME PID TID CLUSTER"
  BENCH_FINISH      directory; a file named like a cluster's uuid there ends its operation
Labels of a cluster: bench_create, bench_poll: the seconds those calls take.
"""

import os
import threading
import time
import uuid

from magnum.drivers.common import driver, k8s_monitor

_LOG = os.open(os.environ["BENCH_DRIVER_LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)
_FINISH = os.environ["BENCH_FINISH"]


def _log(edge, call, cluster):
    line = f"{edge} {call} {time.time():.6f} {os.getpid()} {threading.get_native_id()}"
    os.write(_LOG, f"{line} {cluster.uuid}\n".encode())


def _sleep(call, cluster):
    seconds = float((cluster.labels or {}).get(f"bench_{call}", 0))
    if seconds:
        time.sleep(seconds)


class Driver(driver.Driver):
    @property
    def provides(self):
        return [{"server_type": "vm", "os": "bench", "coe": "kubernetes"}]

    def create_cluster(self, context, cluster, cluster_create_timeout):
        _log("S", "create", cluster)
        _sleep("create", cluster)
        cluster.stack_id = str(uuid.uuid4())
        _log("E", "create", cluster)

    def update_cluster_status(self, context, cluster, use_admin_ctx=False):
        _log("S", "poll", cluster)
        _sleep("poll", cluster)
        if os.path.exists(os.path.join(_FINISH, cluster.uuid)):
            cluster.status = cluster.status.partition("_")[0] + "_COMPLETE"
            cluster.save()
        _log("E", "poll", cluster)

    def get_monitor(self, context, cluster):
        return k8s_monitor.K8sMonitor(context, cluster) if cluster.api_address else None

    def _not_measured(self, *args, **kwargs):
        raise NotImplementedError

    update_cluster = delete_cluster = resize_cluster = upgrade_cluster = _not_measured
    create_nodegroup = update_nodegroup = delete_nodegroup = _not_measured
    create_federation = update_federation = delete_federation = _not_measured
