"""What is asked of a driver beside the operations: interface, monitor, scale manager."""

from __future__ import annotations

import inspect
import numbers
from typing import Any

from oslo_log import log as logging

from magnumlite.conductor import errors
from magnumlite.drivers import registry
from magnumlite.objects.fields import ClusterHealthStatus, ClusterType, ServerType
from magnumlite.openstack import clients
from magnumlite.sandbox.conformance.record import Probe
from magnumlite.sandbox.conformance.rows import short

LOG = logging.getLogger(__name__)

_X: Any = object()
#: How the conductors call: method to positional arguments after self, and keywords.
_FORMS: dict[str, list[tuple[int, tuple[str, ...]]]] = {
    "create_cluster": [(3, ())],
    "update_cluster": [(4, ())],
    "update_cluster_status": [(2, ())],
    "pre_delete_cluster": [(2, ())],
    "delete_cluster": [(2, ())],
    "resize_cluster": [(6, ())],
    # magnumlite hands rollback over by its name, magnum as the sixth.
    "upgrade_cluster": [(5, ("rollback",)), (6, ())],
    "create_nodegroup": [(3, ())],
    "update_nodegroup": [(3, ())],
    "delete_nodegroup": [(3, ())],
    "rotate_ca_certificate": [(2, ())],
    "rotate_credential": [(2, ())],
    "get_monitor": [(2, ())],
    "get_scale_manager": [(3, ())],
    "validate_master_size": [(1, ())],
    "validate_master_resize": [(1, ())],
}


def interface(driver: Any, probe: Probe) -> None:
    """Ask an instance what needs no cluster: members, signatures, kinds, numbers of masters."""
    probe.tried = probe.present = True
    for name, forms in _FORMS.items():
        method = getattr(driver, name, None)
        if not callable(method):
            probe.problems.append((f"it has no {name}", f"Derive from Driver or write {name}."))
            continue
        for count, keywords in forms:
            try:
                inspect.signature(method).bind(*[_X] * count, **dict.fromkeys(keywords, _X))
            except TypeError as error:
                how = f"with {count} arguments" + "".join(f" and {name}=" for name in keywords)
                probe.problems.append(
                    (
                        f"{name} cannot be called {how}: {error}",
                        "Take the parameters of the interface, in its order and with its names.",
                    )
                )
                break
    _kinds(driver, probe)
    _masters(driver, probe)


def kinds(driver: Any) -> list[dict[str, str]]:
    """Return what a driver provides; [] for what is no list of dicts."""
    try:
        found = list(driver.provides)
    except Exception as error:
        LOG.info("provides raised %s: %s", type(error).__name__, error)
        return []
    return found if all(isinstance(kind, dict) for kind in found) else []


def _kinds(driver: Any, probe: Probe) -> None:
    found = kinds(driver)
    if not found:
        probe.problems.append(
            (
                "provides does not tell what it makes",
                "Make it a property or attribute: a list of dicts with server_type, os, coe.",
            )
        )
    allowed = {"server_type": ServerType.ALL, "coe": ClusterType.ALL}
    for kind in found:
        missing = {"server_type", "os", "coe"} - set(kind)
        if missing:
            probe.problems.append(
                (f"provides has no {', '.join(sorted(missing))}", "Give all three in each entry.")
            )
        for name, values in allowed.items():
            if name in kind and kind[name] not in values:
                probe.problems.append(
                    (
                        f"provides has {name} {kind[name]!r}",
                        f"No template can have it: use {' or '.join(values)}.",
                    )
                )


def _masters(driver: Any, probe: Probe) -> None:
    for count, good in ((1, True), (3, True), (2, False), (0, False), (-1, False)):
        error = _raised(driver.validate_master_size, count)
        if error is None and not good:
            probe.remarks.append(
                (
                    f"validate_master_size accepts {count}",
                    "An even number of masters has no majority more than one less; "
                    "raise MasterNGSizeInvalid.",
                )
            )
        elif error is not None and good and _mild(error):
            probe.remarks.append(
                (f"validate_master_size refuses {count}", "Tell your users which sizes there are.")
            )
        elif error is not None and not _mild(error):
            probe.problems.append(
                (
                    f"validate_master_size({count}) raised {type(error).__name__}",
                    "Raise MasterNGSizeInvalid: the API answers anything else with a 500.",
                )
            )
    error = _raised(driver.validate_master_resize, 3)
    if error is not None and not _mild(error):
        probe.problems.append(
            (
                f"validate_master_resize(3) raised {type(error).__name__}",
                "Raise MasterNGResizeNotSupported: the API answers anything else with a 500.",
            )
        )


def monitor(context: Any, cluster: Any, probe: Probe) -> None:
    """Ask for the cluster's monitor, its verdict and its metrics."""
    probe.tried = True
    made = registry.for_cluster(context, cluster).get_monitor(context, cluster)
    if not made:
        return
    probe.present = True
    poll = getattr(made, "poll_health_status", None)
    if not callable(poll):
        probe.remarks.append(
            ("it has no poll_health_status", "Without it the cluster has no health.")
        )
    elif (error := _raised(poll)) is not None:
        probe.problems.append(
            (
                f"poll_health_status raised {type(error).__name__}: {errors.reason(error)}",
                "Put UNHEALTHY or UNKNOWN with the cause into data instead.",
            )
        )
    else:
        _verdict(getattr(made, "data", None), probe)
    _metrics(made, probe)


def _verdict(data: Any, probe: Probe) -> None:
    if not isinstance(data, dict):
        probe.problems.append(
            (f"data is {short(data)}", "Make it a dict with health_status and its reason.")
        )
        return
    status, reason = data.get("health_status"), data.get("health_status_reason")
    if status is None:
        return
    if status not in ClusterHealthStatus.ALL:
        probe.problems.append(
            (f"health_status is {status!r}", f"Use one of {', '.join(ClusterHealthStatus.ALL)}.")
        )
    if not isinstance(reason or {}, dict):
        probe.problems.append(
            (f"health_status_reason is {short(reason)}", "Make it a dict of texts.")
        )
    elif status != ClusterHealthStatus.HEALTHY and not reason:
        probe.remarks.append((f"{status} comes without a reason", "Say what was found."))


def _metrics(made: Any, probe: Probe) -> None:
    """Ask for the metrics, which no conductor of today does."""
    spec = getattr(made, "metrics_spec", None)
    if not spec:
        return
    if not isinstance(spec, dict):
        probe.remarks.append(
            (f"metrics_spec is {short(spec)}", "Make it a property that returns a dict, or {}.")
        )
        return
    error = _raised(made.pull_data)
    for name in () if error is not None else list(made.get_metric_names()):
        try:
            made.get_metric_unit(name)
            value = made.compute_metric_value(name)
        except Exception as caught:
            error = caught
            break
        if not isinstance(value, numbers.Real):
            probe.remarks.append((f"metric {name} is {short(value)}", "Return a number."))
    if error is not None:
        probe.remarks.append(
            (
                f"its metrics raised {type(error).__name__}: {errors.reason(error)}",
                "Leave metrics_spec empty if there are none.",
            )
        )


def scaling(context: Any, cluster: Any, probe: Probe) -> None:
    """Ask for the scale manager, and which nodes to remove of a cluster that loses none."""
    probe.tried = True
    driver = registry.for_cluster(context, cluster)
    manager = driver.get_scale_manager(context, clients.OpenStackClients(context), cluster)
    if manager is None:
        return
    probe.present = True
    pick = getattr(manager, "get_removal_nodes", None)
    if not callable(pick):
        probe.problems.append(
            ("it has no get_removal_nodes", "Derive from magnum.conductor.scale_manager.")
        )
        return
    try:
        found = pick(["node-1"])
    except Exception as error:
        probe.problems.append(
            (
                f"get_removal_nodes raised {type(error).__name__}: {errors.reason(error)}",
                "Return an empty list for a cluster that loses no nodes.",
            )
        )
        return
    if found:
        probe.problems.append(
            (
                f"get_removal_nodes of a cluster that loses no nodes returned {short(found)}",
                "Compare the size of the row with that of the cluster handed in.",
            )
        )


def _raised(call: Any, *arguments: Any) -> Exception | None:
    try:
        call(*arguments)
    except Exception as error:
        return error
    return None


def _mild(error: Exception) -> bool:
    """Tell whether the API shows the error to the user as his own."""
    code = errors.code(error)
    return code is not None and code < 500
