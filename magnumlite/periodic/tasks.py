"""The three tasks that oslo.service times (contract/periodic.md).

A task only puts keys on a queue and returns.  Spacings are read when the classes are made, at
service start, never at import (known defect B09); oslo.service wants them at the decorator, so
the classes are made by functions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from oslo_service import periodic_task

from magnumlite.conf import CONF

#: Keys that the tasks put on the queue of the sweeps.
STATUS = "sync_cluster_status"
HEALTH = "sync_cluster_health_status"
SERVICE = "update_magnum_service"
RECOVERY = "recovery"
CLIENT_FILES = "client_files"

#: Seconds between two heartbeats of the service (contract/periodic.md).
SERVICE_SPACING = 60

Add = Callable[[str], object]


def sync_tasks(add: Add, health_spacing: float) -> periodic_task.PeriodicTasks:
    """Return the tasks that ``[DEFAULT]periodic_enable`` gates.

    add: puts a key on the queue of the sweeps and returns at once.
    health_spacing: seconds between two calls of the health task; negative: never.
    """

    class MagnumPeriodicTasks(periodic_task.PeriodicTasks):  # type: ignore[misc]
        @periodic_task.periodic_task(spacing=CONF.sync.interval, run_immediately=True)  # type: ignore[untyped-decorator]
        def sync_cluster_status(self, context: Any) -> None:
            add(STATUS)
            add(RECOVERY)

        @periodic_task.periodic_task(spacing=health_spacing, run_immediately=True)  # type: ignore[untyped-decorator]
        def sync_cluster_health_status(self, context: Any) -> None:
            add(HEALTH)

    return MagnumPeriodicTasks(CONF)


def service_tasks(add: Add) -> periodic_task.PeriodicTasks:
    """Return the heartbeat of the service, which is always on; `add` as in `sync_tasks`.

    What each host has to do for itself goes with it.
    """

    class MagnumServicePeriodicTasks(periodic_task.PeriodicTasks):  # type: ignore[misc]
        @periodic_task.periodic_task(spacing=SERVICE_SPACING, run_immediately=True)  # type: ignore[untyped-decorator]
        def update_magnum_service(self, context: Any) -> None:
            add(SERVICE)
            add(CLIENT_FILES)

    return MagnumServicePeriodicTasks(CONF)
