"""magnumlite-sandbox conformance as a person or a pipeline runs it, in a process of its own."""

from __future__ import annotations

import json
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


def examine(
    *arguments: str, driver: str = "simulated", **more: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "conformance", "--driver", driver, "--slow", "60", *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        env={**os.environ, **more},
    )


def test_the_simulated_driver_passes(tmp_path: Path) -> None:
    done = examine(TMPDIR=str(tmp_path))

    assert done.returncode == 0, done.stdout + done.stderr
    assert "Nothing failed." in done.stdout
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
    for part in ("nodegroup update   ✓ pass", "UPDATE_COMPLETE", "it saves by itself", "stack_id"):
        assert part in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_with_its_kubernetes_api_it_passes_too(tmp_path: Path) -> None:
    done = examine("--json", "--option", "simulated.kubernetes_api=true")

    report = json.loads(done.stdout)
    monitor = next(check for check in report["checks"] if check["name"] == "monitor")
    assert (done.returncode, monitor["verdict"], monitor["findings"]) == (0, "pass", [])
    assert report["passed"]


def test_the_machine_form_has_all_of_it(tmp_path: Path) -> None:
    done = examine(
        "--json",
        *("--dir", str(tmp_path)),
        *("--option", "simulated.fail=resize"),
        *("--option", "simulated.unsupported=upgrade,rotate_credential"),
    )

    assert done.returncode == 1
    report = json.loads(done.stdout)
    assert (report["driver"], report["passed"]) == ("simulated", False)
    operations = {o["name"]: o for o in report["operations"]}
    assert operations["resize"]["verdict"] == "fail"
    assert operations["resize"]["ended"] == "Simulated: simulated: resize was told to fail"
    assert operations["upgrade"]["verdict"] == "not supported"
    assert operations["rotate credential"]["verdict"] == "not supported"
    # What comes after the failure is tried all the same.
    assert operations["nodegroup delete"]["verdict"] == "pass"
    assert operations["delete"]["ended"] == "gone"
    assert {c["verdict"] for c in report["checks"]} <= {"pass", "not supported"}
    assert all({"name", "question", "verdict", "findings"} <= c.keys() for c in report["checks"])
    assert f"Log: {tmp_path}/conductor.log" in done.stderr


def test_a_config_file_is_read_and_an_option_wins_over_it(tmp_path: Path) -> None:
    file = tmp_path / "driver.conf"
    file.write_text("[simulated]\nfail_late = update\nunsupported = upgrade\n")
    done = examine(
        *("--config-file", str(file), "--json", "--dir", str(tmp_path / "d")),
        *("--option", "simulated.fail_late=none"),
    )

    operations = {o["name"]: o["verdict"] for o in json.loads(done.stdout)["operations"]}
    assert (operations["update"], operations["upgrade"]) == ("pass", "not supported")


def test_templates_and_labels_can_be_given(tmp_path: Path) -> None:
    done = examine(
        *("--json", "--label", "simulated_unsupported=upgrade"),
        *("--template", "image_id=an-image", "--template", "labels.kube_tag=v1.31.1"),
        *("--upgrade", "labels.kube_tag=v1.32.0", "--dir", str(tmp_path)),
    )

    assert done.returncode == 0, done.stderr
    operations = {o["name"]: o["verdict"] for o in json.loads(done.stdout)["operations"]}
    assert operations["upgrade"] == "not supported"
    with sqlite3.connect(tmp_path / "magnum.sqlite") as database:
        rows = database.execute("SELECT name, image_id, labels FROM cluster_template").fetchall()
    assert [(name, image, json.loads(labels)) for name, image, labels in rows] == [
        ("conformance-v1", "an-image", {"kube_tag": "v1.31.1"}),
        ("conformance-v2", "an-image", {"kube_tag": "v1.32.0"}),
    ]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--driver", "nimbus"], "nimbus"),
        (["--driver", "simulated", "--option", "simulated.delay=soon"], "delay"),
        (["--driver", "simulated", "--option", "nonsense"], "GROUP.NAME=VALUE"),
        (["--driver", "simulated", "--template", "colour=red"], "no field colour"),
        (["--driver", "simulated", "--template", "docker_volume_size=big"], "big"),
        ([], "--driver"),
    ],
)
def test_what_cannot_be_begun_is_a_line(arguments: list[str], text: str) -> None:
    done = subprocess.run(
        [COMMAND, "conformance", *arguments], capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 2
    assert text in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_a_terminal_sees_what_goes_on_and_can_interrupt_it(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    examining = subprocess.Popen(
        [COMMAND, "conformance", "--driver", "simulated", "--option", "simulated.delay=120"],
        stdin=terminal,
        stdout=terminal,
        stderr=terminal,
        env={
            **os.environ,
            "TMPDIR": str(tmp_path),
            "TERM": "xterm-256color",
            "COLUMNS": "120",
            "LINES": "40",
        },
    )
    os.close(terminal)
    shown = b""
    try:
        while b"simulated: create" not in shown:
            shown += os.read(controller, 65536)
        examining.send_signal(signal.SIGINT)
        while part := _read(controller):
            shown += part
        assert examining.wait(60) == 130, shown[-5000:]
    finally:
        examining.kill()
        os.close(controller)
    assert "Interrupted." in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown.decode())


def _read(controller: int) -> bytes:
    try:
        return os.read(controller, 65536)
    except OSError:  # nobody has the terminal open any more
        return b""
