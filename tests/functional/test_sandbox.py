"""magnumlite-sandbox as a person runs it, in a process of its own."""

import os
import pty
import re
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

COMMAND = Path(sys.executable).parent / "magnumlite-sandbox"


def _play(*arguments: str, timeout: float = 120) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=timeout,
    )


def _count(directory: Path, table: str) -> int:
    with sqlite3.connect(directory / "magnum.sqlite") as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])


def test_clusters_go_from_create_to_gone(tmp_path: Path) -> None:
    played = _play("--dir", str(tmp_path), "--clusters", "3")

    assert played.returncode == 0, played.stdout
    assert "All 12 steps ended as they should." in played.stdout
    for action in ("create", "update", "delete"):
        for outcome in ("pending", "success"):
            assert f"magnum.cluster.{action}  {outcome}" in played.stdout
    assert "\x1b" not in played.stdout  # plain lines: this is no terminal
    for table in ("cluster", "nodegroup", "x509keypair"):
        assert _count(tmp_path, table) == 0


@pytest.mark.parametrize(
    ("step", "ended"),
    [
        ("create", "CREATE_FAILED"),
        ("resize", "UPDATE_FAILED"),
        ("upgrade", "UPDATE_FAILED"),
        ("delete", "DELETE_FAILED"),
    ],
)
def test_a_step_that_is_told_to_fail_fails_and_the_rest_goes_on(
    tmp_path: Path, step: str, ended: str
) -> None:
    played = _play("--dir", str(tmp_path), "--fail", step)

    assert played.returncode == 0, played.stdout
    assert f"{step}: {ended}, as it should" in played.stdout
    assert f"simulated: {step} was told to fail" in played.stdout
    assert _count(tmp_path, "cluster") == (1 if step == "delete" else 0)


def test_a_step_that_does_not_end_as_it_should_shows_in_the_status(tmp_path: Path) -> None:
    played = _play("--dir", str(tmp_path), "--label", "simulated_fail=resize")

    assert played.returncode == 1
    assert "sandbox-1 resize: UPDATE_FAILED, should be UPDATE_COMPLETE" in played.stdout
    assert f"Log: {tmp_path}/conductor.log" in played.stdout


def test_unknown_driver_is_one_line_that_names_the_others(tmp_path: Path) -> None:
    played = _play("--dir", str(tmp_path), "--driver", "nimbus")

    assert played.returncode == 2
    assert "nimbus" in played.stdout
    assert "simulated" in played.stdout
    assert "Traceback" not in played.stdout


@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGTERM])
def test_keep_stays_until_interrupted(tmp_path: Path, ending: signal.Signals) -> None:
    playing = subprocess.Popen(
        [COMMAND, "--dir", str(tmp_path), "--keep"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert playing.stdout is not None
    try:
        for line in playing.stdout:
            if "staying up" in line:
                break
        else:
            pytest.fail("it ended")
        assert _count(tmp_path, "cluster") == 1
        playing.send_signal(ending)
        rest, _ = playing.communicate(timeout=60)
    finally:
        playing.kill()
    assert playing.returncode == 0, rest
    assert "delete: gone, as it should" in rest
    assert _count(tmp_path, "cluster") == 0


def test_interrupted_in_the_middle_it_says_so(tmp_path: Path) -> None:
    playing = subprocess.Popen(
        [COMMAND, "--dir", str(tmp_path), "--label", "simulated_delay=250", "--timeout", "250"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert playing.stdout is not None
    try:
        for line in playing.stdout:
            if "CREATE_IN_PROGRESS" in line:
                break
        playing.send_signal(signal.SIGINT)
        rest, _ = playing.communicate(timeout=60)
    finally:
        playing.kill()
    assert playing.returncode == 130, rest
    assert "Interrupted." in rest


def test_a_terminal_gets_a_live_screen(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    playing = subprocess.Popen(
        [COMMAND, "--dir", str(tmp_path)],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={**os.environ, "TERM": "xterm-256color", "COLUMNS": "120", "LINES": "40"},
    )
    os.close(terminal)
    shown = b""
    try:
        while part := _read(controller):
            shown += part
        assert playing.wait(60) == 0
    finally:
        playing.kill()
        os.close(controller)
    assert b"\x1b[" in shown
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())
    for part in ("default-worker", "✓ create", "✓ delete", "magnum.cluster.delete"):
        assert part in text


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:  # nobody has the terminal open any more
        return b""
