"""The operation pool of a worker: what waits, and the threads that run it.

Waiting operations are journal rows; the pool keeps their contexts and arguments, which a row does
not hold.  Only the head of a cluster's line takes a thread, and none blocks one while it waits for
another host (DESIGN section 4, items 2 and 4).
"""

from __future__ import annotations

import queue
import threading
import time

from oslo_db import exception as db_exc
from oslo_log import log as logging

from magnumlite import context as context_module
from magnumlite import exception, objects
from magnumlite.conductor import retelling
from magnumlite.conductor.changes import certificates
from magnumlite.conductor.operation import Operation
from magnumlite.conf import CONF
from magnumlite.journal import claims, entries
from magnumlite.journal.entries import Action, Entry, Process

LOG = logging.getLogger(__name__)

#: Seconds between two looks for deletes that have waited long enough, and for lost claims.
_PATROL = 1.0


class OperationPool:
    """Runs the operations of one process, at most [conductor]operation_threads at a time."""

    def __init__(self, process: Process) -> None:
        self._process = process
        self._waiting: dict[int, Operation] = {}
        self._running: dict[int, Operation] = {}
        #: Running operations whose claim somebody else took: their threads do not count.
        self._abandoned: set[int] = set()
        #: Claims of operations that no thread works on: not to be renewed.
        self.forsaken: set[int] = set()
        self._idle_since_last_look = True
        self._lock = threading.Condition()
        self._ready: queue.SimpleQueue[Operation | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._accepting = True
        self._scheduler = threading.Thread(target=self._schedule, name="operations", daemon=True)

    def start(self) -> None:
        """Begin to run operations."""
        self._scheduler.start()

    def add(self, operation: Operation) -> None:
        """Have an accepted operation run when it is first in its cluster's line."""
        with self._lock:
            self._idle_since_last_look = False
            self._waiting[operation.id] = operation
            self._lock.notify_all()

    def has_room(self) -> bool:
        """Tell whether fewer than [conductor]operation_queue_max operations wait."""
        return len(self._waiting) < int(CONF.conductor.operation_queue_max)

    def stop(self) -> list[Operation]:
        """Begin no more operations; return those that wait."""
        with self._lock:
            self._accepting = False
            self._lock.notify_all()
        if self._scheduler.is_alive():
            self._scheduler.join()
        with self._lock:
            waiting = [self._waiting[number] for number in sorted(self._waiting)]
            self._waiting.clear()
        return waiting

    def wait(self, timeout: float | None) -> list[Operation]:
        """Wait for the driver calls, at most `timeout` seconds; return what still runs.

        Operations that have lost their claim are not waited for: they can write nothing.
        """
        until = None if timeout is None else time.monotonic() + timeout
        with self._lock:
            while self._counted():
                left = None if until is None else until - time.monotonic()
                if left is not None and left <= 0:
                    break
                self._lock.wait(left)
            for _ in self._threads:
                self._ready.put(None)
            return [op for number, op in self._running.items() if number not in self._abandoned]

    def _counted(self) -> int:
        return len(self._running.keys() - self._abandoned)

    # The scheduler's thread

    def _schedule(self) -> None:
        patrol = time.monotonic()
        pause = CONF.journal.claim_interval
        while True:
            with self._lock:
                if not self._accepting:
                    return
            try:
                begun = self._begin_heads()
                if time.monotonic() - patrol >= _PATROL:
                    patrol = time.monotonic()
                    self._take_over()
                    self._compare_claims()
            except (db_exc.DBError, exception.MagnumException) as error:
                LOG.warning("Waiting operations cannot be begun yet: %s", error)
                begun = 0
                pause = min(pause * 2, 5.0)
            except Exception:
                # Nothing would ever be begun here again, and its rows would stay alive.
                LOG.exception("Waiting operations of %s cannot be begun", self._process.name)
                begun = 0
                pause = 5.0
            else:
                pause = CONF.journal.claim_interval
            with self._lock:
                if self._accepting and not begun:
                    self._lock.wait(pause if self._waiting or self._running else _PATROL)

    def _begin_heads(self) -> int:
        """Claim and begin what is first in line, as far as there are threads; return how many."""
        with self._lock:
            free = CONF.conductor.operation_threads - self._counted()
            if free <= 0 or not self._waiting:
                return 0
        begun = 0
        for number in claims.heads(self._process, free):
            operation = self._waiting.get(number)
            if operation is None:
                continue
            if claims.claim(self._process, number, operation.entry.cluster_uuid):
                self._begin(operation)
                begun += 1
        return begun

    def _begin(self, operation: Operation) -> None:
        with self._lock:
            del self._waiting[operation.id]
            self._running[operation.id] = operation
            if self._idle < self._ready.qsize() + 1:
                thread = threading.Thread(target=self._work, name="operation", daemon=True)
                self._threads.append(thread)
                self._idle += 1
                thread.start()
            self._ready.put(operation)

    def _take_over(self) -> None:
        """Let deletes that have waited long enough take their clusters."""
        with self._lock:
            deleting = any(op.entry.action is Action.DELETE for op in self._waiting.values())
        if not deleting:
            return
        for delete in claims.overdue_deletes(self._process, CONF.conductor.delete_wait):
            for ended in claims.supersede(delete):
                LOG.warning(
                    "Delete %s of cluster %s supersedes %s %s of host %s",
                    delete.uuid,
                    delete.cluster_uuid,
                    ended.action,
                    ended.uuid,
                    ended.host,
                )
                self._drop(ended)
                _tell_superseded(ended)

    def _drop(self, ended: Entry) -> None:
        with self._lock:
            operation = self._waiting.pop(ended.id, None)
        if operation is not None:
            operation.future.set_exception(exception.ClaimLost(cluster_uuid=ended.cluster_uuid))

    def _compare_claims(self) -> None:
        """Notice operations that another took the cluster from, running or waiting.

        And those that this process holds without running them: the answer to the claim was lost
        with the database, or their thread has ended without ending them.
        """
        with self._lock:
            running = set(self._running)
            waiting = set(self._waiting)
            idle = self._idle_since_last_look and not running and not waiting
            self._idle_since_last_look = True
        if idle:
            return
        held = {entry.id for entry in claims.holding(self._process)}
        with self._lock:
            lost = (running & self._running.keys()) - held - self._abandoned
            self._abandoned |= lost
            self._lock.notify_all()
        for number in lost:
            LOG.debug("Operation %d runs without its claim", number)
        for number in held & waiting:
            self._begin(self._waiting[number])
        self.forsaken = held - running - waiting
        for number in waiting - held - claims.still_waiting(self._process):
            with self._lock:
                operation = self._waiting.pop(number, None)
            if operation is not None:
                LOG.warning("%s was ended while it waited", operation)
                operation.future.set_exception(
                    exception.ClaimLost(cluster_uuid=operation.entry.cluster_uuid)
                )

    # The operations' threads

    def _work(self) -> None:
        while True:
            operation = self._ready.get()
            if operation is None:
                return
            with self._lock:
                self._idle -= 1
            operation.run()
            with self._lock:
                self._idle_since_last_look = False
                self._running.pop(operation.id, None)
                surplus = operation.id in self._abandoned
                self._abandoned.discard(operation.id)
                if not surplus:
                    self._idle += 1
                self._lock.notify_all()
            del operation  # with its token and its driver, which would wait here for the next
            if surplus:
                return


def _tell_superseded(ended: Entry) -> None:
    """Send the final event of an operation that a delete has ended."""
    admin = context_module.make_admin_context(all_tenants=True)
    certificates.drop_noted(admin, ended)
    try:
        cluster = objects.Cluster.get_by_uuid(admin, ended.cluster_uuid)
    except exception.ClusterNotFound:
        return
    if retelling.tell(admin, ended, cluster):
        entries.notified([ended.id])
