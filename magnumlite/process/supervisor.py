"""The RPC supervisor: forks the workers and forks them again when they die."""

import contextlib
import multiprocessing
import os
import signal

import cotyledon
from oslo_log import log

from magnumlite.conf import CONF
from magnumlite.process import drain, reload, reports, signals
from magnumlite.process.child import ending
from magnumlite.process.pulse import Pulse
from magnumlite.process.worker import MakeConductor, RpcWorker

LOG = log.getLogger(__name__)


def workers() -> int:
    """Return ``[conductor]workers``; when it is unset or 0, as magnum's is, one a usable CPU."""
    return CONF.conductor.workers or len(os.sched_getaffinity(0))


def run(host: str, pulse: Pulse, make: MakeConductor) -> int:
    """Keep ``pulse.workers`` workers until SIGTERM; return the exit status.

    Pre: a process of its own, forked with :mod:`magnumlite.process.child`. It opens no
    connection and starts none of our threads, so that workers are forked from a clean one.
    """
    # Only the parent knows when the service is ready; cotyledon would say so at once.
    os.environ.pop("NOTIFY_SOCKET", None)
    manager = cotyledon.ServiceManager(
        graceful_shutdown_timeout=drain.worker_limit(),
        mp_context=multiprocessing.get_context("fork"),
    )
    reports.install()

    def reloaded() -> None:
        reload.apply()
        for pid in pulse.pids():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGHUP)

    def died(service_id: object, index: int, code: int) -> None:
        pulse.left(index)
        LOG.error("RPC worker %d ended with %s; it is started again", index, ending(code))

    manager.register_hooks(on_reload=reloaded, on_dead_worker=died)
    manager.add(RpcWorker, workers=pulse.workers, args=(host, pulse, make))
    signals.let_go()
    manager.run()
    return 0
