"""The periodic tasks of the parent."""

import importlib.util
import threading
from collections.abc import Callable

import pytest
from oslo_config import cfg

from magnumlite.process import announce
from magnumlite.process.tasks import Tasks
from tests.servers.daemon import wait


class Recorder:
    """A Periodic that notes what it is asked."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.begun = threading.Event()
        self.may_end = threading.Event()
        self.consuming: Callable[[], bool] = lambda: False

    def make(self, host: str, consuming: Callable[[], bool]) -> "Recorder":
        self.calls.append(f"make {host}")
        self.consuming = consuming
        return self

    def start(self) -> None:
        self.calls.append("start")
        self.begun.set()

    def stop(self) -> None:
        self.calls.append("stop")

    def wait(self) -> None:
        self.may_end.wait(60)
        self.calls.append("wait")


@pytest.fixture(autouse=True)
def _no_drivers(conf: cfg.ConfigOpts, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(announce, "drivers", lambda: None)


def test_start_stop_wait() -> None:
    recorder = Recorder()
    tasks = Tasks("alpha", lambda: True, recorder.make)
    tasks.start()
    assert recorder.begun.wait(60)
    assert not tasks.ended()
    tasks.stop(60)
    assert not tasks.late()
    recorder.may_end.set()
    tasks._thread.join(60)
    assert tasks.ended()
    assert recorder.calls == ["make alpha", "start", "stop", "wait"]


def test_late() -> None:
    recorder = Recorder()
    tasks = Tasks("alpha", lambda: True, recorder.make)
    tasks.start()
    assert recorder.begun.wait(60)
    tasks.stop(0)
    assert tasks.late()
    recorder.may_end.set()
    tasks._thread.join(60)
    assert not tasks.late()


def test_the_first_heartbeat_waits_for_a_worker() -> None:
    # Else this host would be shown as down until the second one, a minute later.
    recorder = Recorder()
    consuming = threading.Event()
    tasks = Tasks("alpha", consuming.is_set, recorder.make)
    tasks.start()
    assert not recorder.begun.wait(0.3)
    consuming.set()
    assert recorder.begun.wait(60)
    recorder.may_end.set()
    tasks.stop(60)


def test_asking_for_the_workers_is_a_sign_of_life() -> None:
    recorder = Recorder()
    tasks = Tasks("alpha", lambda: True, recorder.make)
    assert tasks.silent() == 0
    tasks.start()
    assert recorder.begun.wait(60)
    tasks._asked_at = -1e6
    assert tasks.silent() > 1e6
    assert recorder.consuming()
    assert tasks.silent() < 1e6
    recorder.may_end.set()
    tasks.stop(60)


def test_an_error_ends_them(caplog: pytest.LogCaptureFixture) -> None:
    def fail(host: str, consuming: Callable[[], bool]) -> Recorder:
        raise RuntimeError("no tasks today")

    tasks = Tasks("alpha", lambda: True, fail)
    tasks.start()
    tasks._thread.join(60)
    assert tasks.ended()
    assert "no tasks today" in caplog.text
    assert "alpha" in caplog.text


def test_their_end_shows_whatever_a_driver_does_to_threading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # magnum-cluster-api imports eventlet, which does this; each drain took its whole limit.
    def copy_threading() -> None:
        spec = importlib.util.find_spec("threading")
        assert spec is not None
        assert spec.loader is not None
        spec.loader.exec_module(importlib.util.module_from_spec(spec))

    monkeypatch.setattr(announce, "drivers", copy_threading)
    recorder = Recorder()
    recorder.may_end.set()
    tasks = Tasks("alpha", lambda: True, recorder.make)
    tasks.start()
    tasks.stop(60)
    assert wait(tasks.ended, 60)
    assert recorder.calls == ["make alpha", "start", "stop", "wait"]
