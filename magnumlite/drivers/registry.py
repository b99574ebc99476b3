"""Which driver serves a cluster: selection, and one instance of each driver per thread.

Drivers are built once per thread and kept, not built per call: each may bring its own client
pool, and a poll every ten seconds would pile them up (known defect B12).
"""

import gc
import os
import threading
import time
from typing import Any, NamedTuple

from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.drivers import catalog
from magnumlite.drivers.base import Driver


class _Kept(NamedTuple):
    instance: Driver
    made: float


class _Thread:
    """What one thread has built."""

    def __init__(self) -> None:
        self.by_class: dict[type[Driver], _Kept] = {}
        self.process = os.getpid()


class _End:
    """Goes with its thread, and lets go of what that has built.

    A fork, too, takes away all threads but one; what they have built is the other process's.
    """

    def __init__(self, thread: _Thread) -> None:
        self._thread = thread
        # Not by their names in the module, which the interpreter clears first at its end.
        self._threads, self._process = _threads, os.getpid

    def __del__(self) -> None:
        if self._thread.process == self._process():
            self._threads.discard(self._thread)


class _Instances(threading.local):
    def __init__(self) -> None:
        self.mine = _Thread()
        _threads.add(self.mine)
        self._end = _End(self.mine)


_threads: set[_Thread] = set()
_instances = _Instances()

#: Seconds that an instance is used: credentials that it has read are renewed before they end.
LIFETIME = 600.0

#: Driver class -> moment before which its instances were built too early, in every thread.
_stale: dict[type[Driver], float] = {}


def for_cluster(context: Any, cluster: Any, template: Any = None) -> Driver:
    """Return this thread's instance of the cluster's driver.

    A template the caller has already loaded saves the read; so does one the cluster carries.

    Raises:
        DriverUnavailable: the driver is broken or not installed; the text has its name and the
            import error (known defects B28, B29).
        ClusterTypeNotSupported: the template names no driver and none is for its kind.
        ClusterTypeBetaNotEnabled: the driver for its kind is beta and not enabled.
        ClusterTemplateNotFound: the cluster's template is gone.
    """
    return for_template(_template_of(context, cluster) if template is None else template)


def for_template(template: Any) -> Driver:
    """Return this thread's instance of the driver the template asks for; raises as for_cluster."""
    kind = (template.server_type, template.cluster_distro, template.coe)
    try:
        name, driver = catalog.select(Driver.get_drivers, kind, template.driver)
    except exception.DriverUnavailable:
        raise
    except exception.ClusterDriverNotSupported as error:
        raise exception.DriverUnavailable(
            driver_name=template.driver,
            reason=f"not installed; installed are: {', '.join(names()) or 'none'}",
        ) from error
    except exception.ClusterTypeNotSupported as error:
        broken = failures()
        if not broken:
            raise
        raise exception.DriverUnavailable(
            driver_name=f"({', '.join(str(part) for part in kind)})",
            reason="no driver offers it; these cannot be used: "
            + ", ".join(f"{name} ({text})" for name, text in broken.items()),
        ) from error
    return _instance(name, driver)


def failed(driver: Driver) -> None:
    """Have every thread build its instance anew after a call of this one has failed.

    What it has read when it was built, or first used, may be out of date: magnum-capi-helm keeps
    the client of a kubeconfig, with its credentials. No sooner than [sync]backoff_min seconds
    after it was built, so that failures do not pile instances up (known defect B12).
    """
    kept = _instances.mine.by_class.get(type(driver))
    now = time.monotonic()
    if kept is not None and kept.instance is driver and now - kept.made >= CONF.sync.backoff_min:
        _stale[type(driver)] = now


def close() -> None:
    """Let go of every thread's instances, at the end of a process.

    It ends without the interpreter's own clean-up, and magnum-capi-helm keeps a key in a file
    until its client goes.
    """
    for thread in list(_threads):
        thread.by_class.clear()
    gc.collect()  # an error's traceback goes in circles


def names() -> list[str]:
    """Names of the enabled drivers that import, in alphabetical order."""
    return [offer.entry_point.name for offer in catalog.CATALOG.loaded()]


def failures() -> dict[str, str]:
    """Enabled drivers that cannot be used now: name to the text of the error."""
    return catalog.CATALOG.failures()


def _template_of(context: Any, cluster: Any) -> Any:
    if cluster.obj_attr_is_set("cluster_template"):
        template = cluster.cluster_template
        # An upgrade changes the reference, not the template that was loaded with the cluster.
        if template is not None and template.uuid == cluster.cluster_template_id:
            return template
    return objects.ClusterTemplate.get_by_uuid(context, cluster.cluster_template_id)


def _instance(name: str, driver: type[Driver]) -> Driver:
    kept = _instances.mine.by_class.get(driver)
    oldest = max(_stale.get(driver, float("-inf")), time.monotonic() - LIFETIME)
    if kept is not None and kept.made > oldest:
        return kept.instance
    try:
        instance = driver()
    except Exception as error:
        raise exception.DriverUnavailable(driver_name=name, reason=catalog.brief(error)) from error
    _instances.mine.by_class[driver] = _Kept(instance, time.monotonic())
    return instance


def _forget() -> None:
    """Drop what a fork copied: its sockets belong to the other process (DESIGN section 2).

    It is kept from its own clean-up, which would reach into that process: magnum-capi-helm's
    client removes its certificate files. Its calls of helm are forks that pass through here, for
    oslo.concurrency runs Python between fork and exec.
    """
    global _instances, _threads
    _inherited.append(_threads)
    _threads = set()
    _instances = _Instances()


#: What other processes have built.
_inherited: list[object] = []

os.register_at_fork(after_in_child=_forget)
