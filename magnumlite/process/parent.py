"""The parent process: periodic tasks, signals, and the RPC supervisor below it."""

import gc
import os
import signal
from collections.abc import Callable

from oslo_log import log

from magnumlite.process import (
    child,
    drain,
    gate,
    reload,
    reports,
    signals,
    supervisor,
    systemd,
)
from magnumlite.process.crew import Crew
from magnumlite.process.orphans import Orphans
from magnumlite.process.pulse import Pulse
from magnumlite.process.tasks import MakePeriodic, Tasks
from magnumlite.process.watchdog import Watchdog
from magnumlite.process.worker import MakeConductor

LOG = log.getLogger(__name__)

#: Seconds between two looks at the others: while something changes, and while nothing does.
_EAGER, _CALM = 0.1, 1.0


class Parent:
    """One conductor host.

    ``check`` runs first, in a child of its own: it returns 0 when the start makes sense, else
    it has logged the reason. ``conductor`` and ``periodic`` make what the workers and the parent
    run.
    """

    def __init__(
        self,
        host: str,
        workers: int,
        *,
        check: Callable[[], int],
        conductor: MakeConductor,
        periodic: MakePeriodic,
    ) -> None:
        self._host = host
        self._check = check
        self._conductor = conductor
        self._inbox = signals.Inbox()
        self._orphans = Orphans()
        self._pulse = Pulse(workers)
        self._tasks = Tasks(host, self.consuming, periodic)
        self._watchdog = Watchdog(self._tasks.silent)
        self._crew: Crew
        #: Workers that consumed at the last look; None until all have.
        self._working: set[int] | None = None
        #: Time left to stop; None as long as nobody asked.
        self._patience: drain.Patience | None = None
        self._failed = False

    def consuming(self) -> bool:
        """Tell whether at least one worker takes messages: what the API shows as "up".

        When only some do the host still serves; that is logged (known defect B63).
        """
        return bool(self._pulse.consuming())

    def run(self) -> int:
        """Run until told to stop; main thread only, before any thread or connection exists.

        Returns the exit status: 0 stopped as asked; 1 could not start, a part failed, or work
        that ran was cut.
        """
        self._inbox.open()
        status = gate.passed(self._inbox, self._check)
        if status is not None:
            return status
        # What is there now is shared with the workers as long as nobody writes to it.
        gc.collect()
        gc.freeze()
        self._crew = Crew(child.fork(self._supervise), self._pulse)
        reports.install()
        LOG.info(
            "Parent %d forked RPC supervisor %d for %d workers",
            os.getpid(),
            self._crew.supervisor.pid,
            self._pulse.workers,
        )
        self._tasks.start()
        while not self._over():
            for number in self._inbox.wait(self._tick()):
                self._answer(number)
            self._look_around()
        LOG.info("Parent %d ends with status %d", os.getpid(), self._failed)
        return int(self._failed)

    def _supervise(self) -> int:
        self._inbox.close()
        return supervisor.run(self._host, self._pulse, self._conductor)

    def _tick(self) -> float:
        settled = self._working is not None and self._patience is None
        return _CALM if settled else _EAGER

    def _over(self) -> bool:
        """Tell whether all has stopped, or may be left behind."""
        if self._patience is None or self._crew.pids():
            return False
        if self._tasks.late():
            LOG.warning("Periodic jobs still run at the end of the drain limit; leaving them")
            return True
        return self._tasks.ended()

    def _answer(self, number: int) -> None:
        if number == signal.SIGHUP:
            self._reload()
        elif number == signal.SIGINT and self._patience is not None:
            self._cut("Interrupted again")
        elif number in (signal.SIGTERM, signal.SIGINT):
            self._stop(f"Got {signal.Signals(number).name}")

    def _stop(self, why: str) -> None:
        if self._patience is not None:
            LOG.info("%s: already draining", why)
            return
        self._patience = drain.parent_patience()
        limit = drain.limit()
        status = "draining, " + ("no limit" if limit is None else f"{limit} s at most")
        LOG.info("%s: %s", why, status)
        systemd.stopping(status)
        self._crew.supervisor.tell(signal.SIGTERM)
        self._tasks.stop(limit)

    def _cut(self, why: str) -> None:
        """End everything now."""
        self._failed = True
        self._patience = drain.Patience(0)
        self._tasks.stop(0)
        LOG.error("%s: killing what still runs: pids %s", why, self._crew.kill())

    def _reload(self) -> None:
        if self._patience is not None:
            return
        LOG.info("Got SIGHUP: changing mutable options in place")
        systemd.reloading()
        reload.apply()
        self._crew.supervisor.tell(signal.SIGHUP)
        systemd.ready(self._state())

    def _look_around(self) -> None:
        if os.getpid() == 1:
            self._orphans.collect()
        if self._patience is None:
            self._look_for_failure()
            self._look_at_workers()
        elif self._patience.over() and self._crew.pids():
            self._cut("The drain limit has passed")
        if self._working is None or self._patience is not None:
            systemd.extend()

    def _look_for_failure(self) -> None:
        status = self._crew.supervisor.status()
        if status is not None:
            self._failed = True
            self._stop(f"The RPC supervisor ended by itself with {child.ending(status)}")
        elif self._tasks.ended():
            self._failed = True
            self._stop("The periodic tasks ended by themselves")
        elif self._watchdog.bites():
            self._failed = True
            self._stop("The periodic tasks are stuck and [conductor]recycle_stuck is set")

    def _look_at_workers(self) -> None:
        now = self._pulse.consuming()
        everyone = len(now) == self._pulse.workers
        if now == self._working or (self._working is None and not everyone):
            return
        self._working = now
        if everyone:
            LOG.info(self._state())
            systemd.ready(self._state())
        else:
            LOG.warning(self._state())
            systemd.notify(f"STATUS={self._state()}")

    def _state(self) -> str:
        return f"{len(self._pulse.consuming())} of {self._pulse.workers} RPC workers consume"
