"""The process tree with stand-ins for what it runs: starts, signals, deaths."""

import json
import os
import pathlib
import signal
import socket
import subprocess

import psutil
import pytest

from tests.functional.process import tree as trees
from tests.functional.process.tree import stand_in

READY = "2 of 2 RPC workers consume"
DRAINING = "draining, "


def test_workers_start_from_a_clean_process(tmp_path: pathlib.Path) -> None:
    # B04: the tree is forked before any thread or connection exists.
    with stand_in(tmp_path) as tree:
        tree.wait_for(READY)
        parent, above = psutil.Process(tree.process.pid), tree.supervisor()
        assert len(tree.workers()) == 2
        assert "Forking while other threads are alive" not in tree.text()
        for index in range(2):
            names = json.loads(tree.wait_for_file(f"threads-{index}").replace("'", '"'))
            assert not any("periodic" in name for name in names)
        assert not parent.net_connections()
        assert not above.net_connections()
        tree.until(lambda: tree.wait_for_file("up") == "True", "heartbeat")


def test_term_drains(tmp_path: pathlib.Path) -> None:
    # B05: handlers in flight finish, the parent ends with 0 and leaves nothing.
    with stand_in(tmp_path, jobs=3, job_seconds=4) as tree:
        tree.wait_for(READY)
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert len(list(tmp_path.glob("done-*"))) == 6
        assert tree.left() == []


def test_a_second_term_does_not_cut(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, jobs=3, job_seconds=4) as tree:
        tree.wait_for(READY)
        tree.send(signal.SIGTERM)
        tree.wait_for_file("stopping-0")
        tree.send(signal.SIGTERM)
        tree.wait_for("already draining")
        for pid in tree.workers():
            os.kill(pid, signal.SIGTERM)
        assert tree.wait() == 0
        assert len(list(tmp_path.glob("done-*"))) == 6


def test_the_drain_ends_at_its_limit(tmp_path: pathlib.Path) -> None:
    options = {"graceful_shutdown_timeout": "1"}
    with stand_in(tmp_path, options, jobs=1, job_seconds=3600) as tree:
        tree.wait_for(READY)
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert (tmp_path / "stopped-0").exists()
        assert not list(tmp_path.glob("done-*"))
        assert tree.left() == []


def test_a_limit_of_zero_is_none(tmp_path: pathlib.Path) -> None:
    options = {"graceful_shutdown_timeout": "0"}
    with stand_in(tmp_path, options, jobs=1, job_seconds=4) as tree:
        tree.wait_for(READY)
        tree.send(signal.SIGTERM)
        tree.wait_for("draining, no limit")
        assert tree.wait() == 0
        assert len(list(tmp_path.glob("done-*"))) == 2


def test_a_frozen_worker_is_killed_in_the_end(tmp_path: pathlib.Path) -> None:
    # Neither cotyledon nor an alarm of its own ends a process that does not run.
    options = {"graceful_shutdown_timeout": "1"}
    with stand_in(tmp_path, options) as tree:
        tree.wait_for(READY)
        tree.look()
        os.kill(tree.workers()[0], signal.SIGSTOP)
        tree.send(signal.SIGTERM)
        assert tree.wait() == 1
        assert "The drain limit has passed" in tree.text()
        assert tree.left() == []


def test_hung_periodic_jobs_do_not_hold_the_parent(tmp_path: pathlib.Path) -> None:
    # B05: their threads are not daemons; the interpreter would join them.
    with stand_in(tmp_path, {"graceful_shutdown_timeout": "1"}, periodic="hang") as tree:
        tree.wait_for(READY)
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert "Periodic jobs still run" in tree.text()


def test_interrupt_drains_and_the_second_one_cuts(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, jobs=1, job_seconds=3600) as tree:
        tree.wait_for(READY)
        tree.look()
        tree.send(signal.SIGINT)
        tree.wait_for(DRAINING)
        assert tree.process.poll() is None
        tree.send(signal.SIGINT)
        assert tree.wait() == 1
        assert tree.left() == []


def test_ctrl_c_reaches_the_whole_group(tmp_path: pathlib.Path) -> None:
    # A shell sends SIGINT to every process of the group at once: it must act as one TERM.
    with stand_in(tmp_path, jobs=1, job_seconds=3) as tree:
        tree.wait_for(READY)
        group = os.getpgid(tree.process.pid)
        below = tree.look()
        assert all(os.getpgid(process.pid) != group for process in below)
        for process in [psutil.Process(tree.process.pid), *below]:
            if os.getpgid(process.pid) == group:
                process.send_signal(signal.SIGINT)
        assert tree.wait() == 0
        assert len(list(tmp_path.glob("done-*"))) == 2


def test_hup_changes_options_in_place(tmp_path: pathlib.Path) -> None:
    options = {"conductor.workers": "2", "use_stderr": "true"}
    with stand_in(tmp_path, jobs=1, job_seconds=5, command=True) as tree:
        tree.wait_for(READY)
        before = tree.workers()
        tree.configure({**options, "debug": "true"})
        tree.send(signal.SIGHUP)
        # Parent, supervisor and both workers.
        tree.wait_for("Option DEFAULT.debug changed", times=4)
        tree.until(lambda: len(list(tmp_path.glob("done-*"))) == 2, "end of the handlers")
        assert tree.workers() == before
        # What a driver runs in a worker is not in reach of the signal.
        for index in range(2):
            command = psutil.Process(int(tree.wait_for_file(f"command-{index}")))
            assert command.status() != psutil.STATUS_ZOMBIE
            command.kill()


def test_hup_with_a_bad_value_changes_nothing(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path) as tree:
        tree.wait_for(READY)
        before = tree.workers()
        tree.configure({"debug": "sometimes", "conductor.workers": "2", "use_stderr": "true"})
        tree.send(signal.SIGHUP)
        tree.wait_for("The configuration stays as it was", times=4)
        assert "sometimes" in tree.text()
        tree.send(signal.SIGTERM)
        assert before
        assert tree.wait() == 0


def test_a_killed_worker_is_started_again(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path) as tree:
        tree.wait_for(READY)
        first, second = tree.workers()
        os.kill(first, signal.SIGKILL)
        tree.wait_for("ended with SIGKILL; it is started again")
        tree.until(lambda: len(tree.workers()) == 2 and first not in tree.workers(), "respawn")
        assert second in tree.workers()
        tree.wait_for("has started", times=3)
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0


def test_a_worker_that_crashes_at_start_is_started_again(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, start="crash once") as tree:
        tree.wait_for(READY)
        assert "the first start crashes" in tree.text()


def test_a_killed_parent_takes_all_down(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, jobs=1, job_seconds=2) as tree:
        tree.wait_for(READY)
        tree.look()
        tree.process.kill()
        tree.process.wait()
        assert tree.left() == []
        # They drain, they are not cut.
        assert len(list(tmp_path.glob("done-*"))) == 2


def test_a_killed_supervisor_ends_the_parent(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, jobs=1, job_seconds=2) as tree:
        tree.wait_for(READY)
        tree.look()
        tree.supervisor().kill()
        assert tree.wait() == 1
        assert "The RPC supervisor ended by itself with SIGKILL" in tree.text()
        assert tree.left() == []
        assert len(list(tmp_path.glob("done-*"))) == 2


def test_crashing_periodic_tasks_end_the_parent(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, periodic="crash") as tree:
        assert tree.wait() == 1
        assert "the periodic tasks crash" in tree.text()
        assert tree.left() == []


def test_up_means_that_a_worker_consumes(tmp_path: pathlib.Path) -> None:
    # B63: the heartbeat comes from the parent, the answer from the workers.
    with stand_in(tmp_path) as tree:
        tree.wait_for(READY)
        (tmp_path / "rest-1").touch()
        tree.wait_for("1 of 2 RPC workers consume")
        assert tree.wait_for_file("up") == "True"
        (tmp_path / "rest-0").touch()
        tree.wait_for("0 of 2 RPC workers consume")
        tree.until(lambda: tree.wait_for_file("up") == "False", "state down")
        (tmp_path / "rest-0").unlink()
        (tmp_path / "rest-1").unlink()
        tree.wait_for(READY, times=2)


def test_a_stopped_worker_no_longer_counts(tmp_path: pathlib.Path) -> None:
    # B63: a process that does not run cannot say that it does not consume.
    with stand_in(tmp_path) as tree:
        tree.wait_for(READY)
        frozen = tree.workers()[0]
        os.kill(frozen, signal.SIGSTOP)
        tree.wait_for("1 of 2 RPC workers consume")
        os.kill(frozen, signal.SIGCONT)
        tree.wait_for(READY, times=2)


def test_term_while_workers_hang_at_start(tmp_path: pathlib.Path) -> None:
    # A broker that went away after the gate: start() hangs in its connection.
    with stand_in(tmp_path, start="hang") as tree:
        tree.wait_for_file("threads-0")
        tree.wait_for_file("threads-1")
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert "ends before it had started" in tree.text()
        assert tree.left() == []


def test_term_at_the_gate(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, check="wait") as tree:
        tree.wait_for_file("checked")
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert tree.left() == []


def test_a_killed_parent_leaves_no_gate(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, check="wait") as tree:
        tree.wait_for_file("checked")
        tree.look()
        tree.process.kill()
        assert tree.left() == []


def test_a_closed_gate_ends_the_start(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, check="refuse") as tree:
        assert tree.wait() == 1
        assert not (tmp_path / "threads-0").exists()


def test_a_worker_whom_the_broker_refuses_tries_again(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, {"conductor.workers": "1"}, start="refused once") as tree:
        tree.wait_for("1 of 1 RPC workers consume")
        assert "RPC worker 0 cannot start, trying again: the broker refuses us" in tree.text()
        assert "Traceback" not in tree.text()


def test_usr2_reports(tmp_path: pathlib.Path) -> None:
    with stand_in(tmp_path, {"transport_url": "rabbit://u:geheim@127.0.0.1:1/"}) as tree:
        tree.wait_for(READY)
        for pid in [tree.process.pid, tree.supervisor().pid, *tree.workers()]:
            os.kill(pid, signal.SIGUSR2)
        tree.wait_for("Guru Meditation", times=4)
        assert "geheim" not in tree.text()
        assert tree.process.poll() is None
        assert len(tree.workers()) == 2


def test_systemd_is_told(tmp_path: pathlib.Path) -> None:
    address = str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address)
        manager.settimeout(trees.AMPLE)

        def told(line: str) -> list[str]:
            while True:
                lines = manager.recv(4096).decode().splitlines()
                if line in lines:
                    return lines

        with stand_in(tmp_path, environment={"NOTIFY_SOCKET": address}) as tree:
            assert f"STATUS={READY}" in told("READY=1")
            assert READY in tree.text()
            tree.send(signal.SIGHUP)
            assert any(line.startswith("MONOTONIC_USEC=") for line in told("RELOADING=1"))
            told("READY=1")
            tree.send(signal.SIGTERM)
            told("STOPPING=1")
            assert tree.wait() == 0


@pytest.mark.skipif(
    os.geteuid() != 0
    or subprocess.run(["unshare", "--pid", "--fork", "true"], capture_output=True).returncode != 0,
    reason="making a PID namespace needs root",
)
def test_as_the_first_process_of_a_container(tmp_path: pathlib.Path) -> None:
    # No default action ends PID 1, and orphans are its to collect.
    script = json.dumps({"directory": str(tmp_path), "jobs": 1, "job_seconds": 2})
    tree = trees.Tree(
        tmp_path,
        ["unshare", "--pid", "--fork", "--mount-proc", "--kill-child", *trees.STAND_IN],
        {"conductor.workers": "2", "use_stderr": "true"},
        {"STAND_IN": script},
    )
    try:
        tree.wait_for(READY)
        (first,) = psutil.Process(tree.process.pid).children()
        first.send_signal(signal.SIGTERM)
        assert tree.wait() == 0
        assert "Parent 1 ends with status 0" in tree.text()
        assert len(list(tmp_path.glob("done-*"))) == 2
    finally:
        tree.end()
