"""The limits of a stop nest."""

import subprocess
import sys
import textwrap

import pytest
from oslo_config import cfg

from magnumlite.process import drain


def test_each_process_ends_before_the_one_above_loses_patience(conf: cfg.ConfigOpts) -> None:
    conf.set_override("graceful_shutdown_timeout", 30)
    assert drain.limit() == 30
    assert drain.worker_limit() == 30 + drain.WORKER_MARGIN
    left = drain.parent_patience().left()
    assert left is not None
    assert left > drain.worker_limit()


def test_zero_is_no_limit(conf: cfg.ConfigOpts) -> None:
    conf.set_override("graceful_shutdown_timeout", 0)
    assert drain.limit() is None
    assert drain.worker_limit() == 0
    assert drain.parent_patience().left() is None
    assert not drain.parent_patience().over()


def test_patience_runs_out(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 50.0
    monkeypatch.setattr(drain.time, "monotonic", lambda: now)
    patience = drain.Patience(10)
    now += 4
    assert patience.left() == 6
    assert not patience.over()
    now += 7
    assert patience.left() == 0
    assert patience.over()


def test_leaving_does_not_wait_for_threads() -> None:
    # B05: the interpreter joins threads that are not daemons, also those of executors.
    program = textwrap.dedent("""
        import concurrent.futures, threading
        from magnumlite.process import drain
        concurrent.futures.ThreadPoolExecutor().submit(threading.Event().wait)
        print("said")
        drain.leave(3)
    """)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=120)
    assert done.returncode == 3
    assert done.stdout == b"said\n"
