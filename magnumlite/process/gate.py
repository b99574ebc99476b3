"""The gate of a start: nothing is forked to stay before the database and the broker answer."""

import signal
from collections.abc import Callable

from oslo_log import log

from magnumlite.process import child, signals, systemd

LOG = log.getLogger(__name__)


def passed(inbox: signals.Inbox, check: Callable[[], int]) -> int | None:
    """Run ``check`` in a short-lived child, so that this process opens nothing itself.

    Returns None when the start may go on, else the exit status with which it ends: 0 when told
    to stop meanwhile, 1 when ``check`` returned anything but 0, after it has logged why.
    """

    def at_gate() -> int:
        inbox.close()
        # A terminal's Ctrl-C reaches this process too; the parent decides what it means.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signals.let_go()
        return check()

    guard = child.fork(at_gate)
    while guard.status() is None:
        systemd.extend()
        for number in inbox.wait(1.0):
            if number in (signal.SIGTERM, signal.SIGINT):
                LOG.info("Got %s before the start was complete", signal.Signals(number).name)
                guard.end()
                return 0
    return 1 if guard.status() else None
