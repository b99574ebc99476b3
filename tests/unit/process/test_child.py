"""Children that follow their parent."""

import os
import signal
import subprocess
import sys
import textwrap
import threading

import psutil
import pytest

from magnumlite.process import child, signals


def wait(made: child.Child) -> int | None:
    os.waitid(os.P_PID, made.pid, os.WEXITED | os.WNOWAIT)
    return made.status()


def test_status() -> None:
    made = child.fork(lambda: 7)
    assert wait(made) == 7
    assert made.status() == 7
    made.tell(signal.SIGTERM)


def test_one_that_runs_is_ended() -> None:
    made = child.fork(lambda: signal.pause() or 0)
    made.end()
    assert made.status() == -signal.SIGKILL


def test_one_that_has_just_ended_is_ended_too() -> None:
    # It was waited for twice: a TERM at the end of the check at start was a traceback.
    made = child.fork(lambda: 3)
    os.waitid(os.P_PID, made.pid, os.WEXITED | os.WNOWAIT)
    made.end()
    assert made.status() == 3


def test_an_error_does_not_run_on_in_the_child() -> None:
    def fail() -> int:
        raise RuntimeError("in the child")

    assert wait(child.fork(fail)) == 1


def test_exit_in_the_child() -> None:
    assert wait(child.fork(lambda: sys.exit(4))) == 4


def test_signals_wait_until_the_child_lets_them_go() -> None:
    def run() -> int:
        seen: list[int] = []
        signal.signal(signal.SIGTERM, lambda number, frame: seen.append(number))
        os.kill(os.getpid(), signal.SIGTERM)
        before = list(seen)
        signals.let_go()
        return 0 if not before and seen == [signal.SIGTERM] else 1

    assert wait(child.fork(run)) == 0
    assert signal.SIGTERM not in signal.pthread_sigmask(signal.SIG_BLOCK, [])


def test_only_from_the_main_thread() -> None:
    # The kernel would end the child with the thread.
    problems: list[Exception] = []

    def run() -> None:
        try:
            child.fork(lambda: 0)
        except RuntimeError as error:
            problems.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert "main thread" in str(problems[0])


def test_other_threads_are_told(caplog: pytest.LogCaptureFixture) -> None:
    # B04: a lock that a thread holds stays locked in the child.
    halt = threading.Event()
    thread = threading.Thread(target=halt.wait, name="early-bird")
    thread.start()
    try:
        wait(child.fork(lambda: 0))
    finally:
        halt.set()
        thread.join()
    assert "early-bird" in caplog.text


def test_the_child_of_a_killed_parent_ends() -> None:
    program = textwrap.dedent("""
        import os, time
        from magnumlite.process import child, signals
        def run():
            signals.let_go()
            print(os.getpid(), flush=True)
            time.sleep(3600)
            return 0
        child.fork(run)
        time.sleep(3600)
    """)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        below = psutil.Process(int(parent.stdout.readline()))
        parent.kill()
        assert psutil.wait_procs([below], timeout=60)[1] == []


@pytest.mark.parametrize(("status", "text"), [(0, "status 0"), (3, "status 3"), (-9, "SIGKILL")])
def test_ending(status: int, text: str) -> None:
    assert child.ending(status) == text
