"""PID 1 collects what nobody else does, and nothing else."""

import os
import subprocess
import sys
import traceback
from collections.abc import Callable

import pytest

from magnumlite.process import orphans


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(orphans.time, "monotonic", lambda: now[0])
    return now


def apart(body: Callable[[], None]) -> None:
    """Run a test in a process without other children than its own."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            body()
            status = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def ended_child() -> int:
    """Return the pid of a child that has ended and that nobody has collected."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitid(os.P_PID, child, os.WEXITED | os.WNOWAIT)
    return child


def test_nothing_to_collect() -> None:
    def body() -> None:
        assert orphans.Orphans().collect() == 0

    apart(body)


def test_an_old_one_is_collected(clock: list[float]) -> None:
    def body() -> None:
        child = ended_child()
        collector = orphans.Orphans()
        assert collector.collect() == 0
        clock[0] += orphans.PATIENCE
        assert collector.collect() == child
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)

    apart(body)


def test_one_with_a_waiter_is_left_to_it(clock: list[float]) -> None:
    def body() -> None:
        command = subprocess.Popen([sys.executable, "-c", "raise SystemExit(5)"])
        os.waitid(os.P_PID, command.pid, os.WEXITED | os.WNOWAIT)
        collector = orphans.Orphans()
        assert collector.collect() == 0
        clock[0] += orphans.PATIENCE / 2
        assert collector.collect() == 0
        assert command.wait() == 5

    apart(body)


def test_the_age_is_of_each(clock: list[float]) -> None:
    def body() -> None:
        collector = orphans.Orphans()
        first = ended_child()
        assert collector.collect() == 0
        os.waitpid(first, 0)
        ended_child()
        clock[0] += orphans.PATIENCE
        assert collector.collect() == 0

    apart(body)
