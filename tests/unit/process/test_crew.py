"""Who of the processes below the parent is still there."""

import os
import signal
import subprocess
import sys
import time

import psutil

from magnumlite.process import child, signals
from magnumlite.process.crew import Crew
from magnumlite.process.pulse import Pulse


def supervisor(pulse: Pulse) -> child.Child:
    """Fork a session leader that forks one worker, which outlives it."""

    def run() -> int:
        signals.let_go()
        os.setsid()
        worker = os.fork()
        if worker == 0:
            pulse.joined(0, os.getpid())
            pulse.beat(0)
        signal.pause()
        return 0

    made = child.fork(run)
    while not pulse.consuming():
        assert made.status() is None
        time.sleep(0.01)
    return made


def test_supervisor_and_workers() -> None:
    pulse = Pulse(2)
    crew = Crew(supervisor(pulse), pulse)
    (worker,) = pulse.pids()
    assert crew.pids() == [crew.supervisor.pid, worker]
    below = psutil.Process(worker)
    os.kill(crew.supervisor.pid, signal.SIGKILL)
    os.waitid(os.P_PID, crew.supervisor.pid, os.WEXITED | os.WNOWAIT)
    assert crew.pids() == [worker]
    assert crew.kill() == [worker]
    psutil.wait_procs([below], timeout=60)
    assert crew.pids() == []


def test_a_stranger_with_the_pid_of_a_dead_worker_is_not_killed() -> None:
    pulse = Pulse(2)
    crew = Crew(supervisor(pulse), pulse)
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(3600)"]) as stranger:
        pulse.joined(1, stranger.pid)
        assert stranger.pid not in crew.pids()
        assert stranger.pid not in crew.kill()
        assert stranger.poll() is None
        stranger.kill()
    os.waitpid(crew.supervisor.pid, 0)
