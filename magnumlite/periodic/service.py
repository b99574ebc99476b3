"""Periodic: the periodic side of one conductor host, whole."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from oslo_db import exception as db_exc
from oslo_service import periodic_task, threadgroup

from magnumlite import context as request_context
from magnumlite import exception, objects
from magnumlite.conf import CONF
from magnumlite.context import RequestContext
from magnumlite.drivers import registry
from magnumlite.fleet.ownership import Ownership
from magnumlite.periodic import client_files, recovery, tasks
from magnumlite.periodic.health import HealthSweep
from magnumlite.periodic.heartbeat import Heartbeat
from magnumlite.periodic.queue import KeyedQueue, RetryLater
from magnumlite.periodic.status import StatusSweep

LOG = logging.getLogger(__name__)

#: Seconds that polls under way get to end. They are repeated elsewhere, and fenced.
STOP_PATIENCE = 10.0


class Periodic:
    """Runs the three tasks of a host and all that they set going.

    Three queues: of the sweeps themselves, of the clusters whose status is polled, and of those
    whose health is.  Beside them a thread says to the fleet every ``[fleet]beat_interval``
    seconds that this host is alive.
    """

    def __init__(self, host: str, consuming: Callable[[], bool]) -> None:
        """Make it; nothing runs before `start`.

        host: this host's name in the fleet and in the API.
        consuming: tells whether an RPC worker of this host takes messages.
        """
        self.ownership = Ownership(host, sweeps=CONF.periodic_enable)
        self.status_queue = KeyedQueue(
            "status",
            lambda key: self._status.poll(key),
            quick_slots=CONF.sync.quick_slots,
            slow_lane=CONF.sync.slow_lane,
            overflow=CONF.sync.overflow,
            slow_after=CONF.sync.slow_after,
            backoff_min=CONF.sync.backoff_min,
            backoff_max=CONF.sync.backoff_max,
            slow_log_after=CONF.sync.slow_log_after,
            group_of=lambda key: self._status.driver_of(key),
        )
        self.health_queue = KeyedQueue(
            "health",
            lambda key: self._health.check(key),
            quick_slots=CONF.health.threads,
            slow_lane=CONF.sync.slow_lane,
            slow_after=CONF.sync.slow_after,
            backoff_min=CONF.sync.backoff_min,
            backoff_max=CONF.sync.backoff_max,
            slow_log_after=CONF.sync.slow_log_after,
        )
        self._status = StatusSweep(self.status_queue, self.ownership.owns)
        self._health = HealthSweep(self.health_queue, self.ownership.owns)
        self._heartbeat = Heartbeat(host, consuming)
        self._sweeps: dict[str, Callable[[RequestContext], None]] = {
            tasks.STATUS: self._status.due,
            tasks.HEALTH: self._health.due,
            tasks.SERVICE: self._heartbeat.beat,
            tasks.CLIENT_FILES: client_files.due,
            tasks.RECOVERY: lambda context: recovery.due(self.ownership.owns),
        }
        self.sweep_queue = KeyedQueue(
            "sweep",
            self._sweep,
            quick_slots=len(self._sweeps),
            slow_lane=len(self._sweeps),
            slow_after=CONF.sync.slow_after,
            backoff_min=0,
            backoff_max=0,
            slow_log_after=CONF.sync.slow_log_after,
        )
        self._timers = threadgroup.ThreadGroup()
        self._stopping = threading.Event()
        self._beats = threading.Thread(target=self._beat, name="fleet-beat", daemon=True)

    def start(self) -> None:
        """Start the queues, the timers and the beats; waits for nothing."""
        objects.register_all()
        for queue in (self.sweep_queue, self.status_queue, self.health_queue):
            queue.start()
        self._time(tasks.service_tasks(self.sweep_queue.add))
        self._beats.start()

    def stop(self) -> None:
        """Begin nothing more, and tell the fleet: others take this host's clusters at once."""
        self._stopping.set()
        self._timers.stop_timers()
        for queue in (self.sweep_queue, self.status_queue, self.health_queue):
            queue.stop()

    def wait(self) -> None:
        """Wait after `stop` for what runs, at most `STOP_PATIENCE` seconds; logs what is left."""
        ends = time.monotonic() + STOP_PATIENCE
        if self._beats.is_alive():
            self._beats.join(STOP_PATIENCE)
        for queue in (self.sweep_queue, self.status_queue, self.health_queue):
            queue.wait(max(0.0, ends - time.monotonic()))
        registry.close()

    def _time(self, task_class: periodic_task.PeriodicTasks) -> None:
        self._timers.add_dynamic_timer_args(
            task_class.run_periodic_tasks,
            [None],
            periodic_interval_max=CONF.periodic_interval_max,
            stop_on_exception=False,
        )

    def _beat(self) -> None:
        """Beat until stopped; the first beat comes before the first sweep, which needs a ring."""
        self.ownership.beat()
        if CONF.periodic_enable and not self._stopping.is_set():
            self._time(tasks.sync_tasks(self.sweep_queue.add, self._health_spacing()))
        while not self._stopping.wait(CONF.fleet.beat_interval):
            before = self.ownership.hosts
            self.ownership.beat()
            if CONF.periodic_enable and self.ownership.hosts != before:
                # What a host has left, or takes over, shall not wait for the next interval too.
                self.sweep_queue.add(tasks.STATUS)
        # Again: the first beat may have started timers after `stop` looked for them.
        self._timers.stop_timers()
        self.ownership.drain()

    def _health_spacing(self) -> float:
        return self._health.spacing if self._health.enabled else -1

    def _sweep(self, name: str) -> None:
        """Run one sweep; the queue's jobs are these names."""
        context = request_context.make_admin_context(all_tenants=True)
        with request_context.using(context):
            try:
                self._sweeps[name](context)
            except db_exc.DBError as error:
                LOG.warning("%s: the database does not answer: %s", name, error)
                raise RetryLater from error
            except exception.MagnumException as error:
                LOG.warning("%s: %s", name, error)
                raise RetryLater from error
