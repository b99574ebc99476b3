"""An RPC worker: one Conductor in a process of its own."""

import os
import sys
import threading
from collections.abc import Callable
from typing import Protocol

import cotyledon
import oslo_messaging
from cotyledon.types import WorkerId
from oslo_db import exception as db_exc
from oslo_log import log

from magnumlite import exception
from magnumlite.process import drain, reload, reports
from magnumlite.process.pulse import INTERVAL, Pulse

LOG = log.getLogger(__name__)

#: What a start that fails tells in one line; it is tried again, :data:`_PAUSE` seconds later.
_EXPECTED = (exception.MagnumException, oslo_messaging.MessagingException, db_exc.DBError)
_PAUSE = 10.0
#: Seconds that a thread which computes may keep the others of its process waiting. A read needs the
#: interpreter half a dozen times; with Python's 5 ms it waits long for operations that run.
_SWITCH = 0.001
#: Seconds between two looks at a conductor that does not consume yet.
_EAGER = 0.05


class Conductor(Protocol):
    """What a worker runs; see :class:`magnumlite.conductor.service.Conductor`."""

    def start(self) -> None:
        """Connect and begin to consume."""

    def stop(self, timeout: float | None) -> bool:
        """Stop intake, cast again what waits, finish what runs within ``timeout`` seconds.

        Returns whether everything was finished; what was not is logged.
        """

    def consuming(self) -> bool:
        """Tell whether messages are being taken."""


#: Makes the conductor of a host and a worker index.
MakeConductor = Callable[[str, int], Conductor]


class RpcWorker(cotyledon.Service):
    """Starts the conductor in this process, reports that it consumes, stops it."""

    name = "rpc"

    def __init__(self, worker_id: WorkerId, host: str, pulse: Pulse, make: MakeConductor) -> None:
        super().__init__(worker_id)
        self._index = worker_id
        self._host = host
        self._pulse = pulse
        self._make = make
        self._conductor: Conductor | None = None
        self._started = threading.Event()
        self._stopping = threading.Event()
        # cotyledon reloads by a SIGHUP to its process group, which would also end the commands
        # that drivers run here. In a group of its own this worker is signalled by pid.
        os.setpgid(0, 0)
        sys.setswitchinterval(_SWITCH)
        reports.install()
        pulse.joined(worker_id, os.getpid())

    def run(self) -> None:
        """Start, then beat as long as messages are taken. Runs in a thread of cotyledon's."""
        conductor = self._make(self._host, self._index)
        problem = None
        try:
            conductor.start()
        except _EXPECTED as error:
            problem = error
        # Not in the handler: oslo.log adds the exception to what is logged there.
        if problem is not None:
            LOG.error("RPC worker %d cannot start, trying again: %s", self._index, problem)
            self._stopping.wait(_PAUSE)
            sys.exit(1)
        self._conductor = conductor
        self._started.set()
        LOG.info("RPC worker %d (pid %d) has started", self._index, os.getpid())
        pause = _EAGER
        while not self._stopping.wait(pause):
            if conductor.consuming():
                self._pulse.beat(self._index)
                pause = INTERVAL
            else:
                self._pulse.rests(self._index)
                pause = _EAGER

    def terminate(self) -> None:
        """Drain and return; cotyledon then ends the process with status 0 (known defect B05)."""
        self._stopping.set()
        self._pulse.rests(self._index)
        if not self._started.wait(drain.START_GRACE):
            # It hangs in a connection that does not come: nothing was accepted yet.
            LOG.warning("RPC worker %d ends before it had started", self._index)
            return
        assert self._conductor is not None
        self._conductor.stop(drain.limit())

    def reload(self) -> None:
        """Change mutable options in place; what runs goes on."""
        reload.apply()
