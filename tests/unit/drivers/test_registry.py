"""Which driver serves a cluster, and how many of it there are."""

import gc
import os
import threading
import types
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from oslo_concurrency import processutils
from oslo_config import cfg

from magnumlite import exception, objects
from magnumlite.drivers import monitors, registry
from tests.unit.drivers.packages import Packages, packages, template

__all__ = ["packages"]


class Row:
    """What the registry reads of a cluster."""

    uuid = "the-cluster"
    cluster_template_id = "template"

    def __init__(self, cluster_template: Any = None) -> None:
        self.cluster_template = cluster_template

    def obj_attr_is_set(self, name: str) -> bool:
        return getattr(self, name) is not None


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The templates read from the database."""
    asked: list[str] = []

    def get_by_uuid(context: Any, uuid: str) -> Any:
        asked.append(uuid)
        return template()

    monkeypatch.setattr(objects.ClusterTemplate, "get_by_uuid", get_by_uuid)
    return asked


SOCKET = """
    import socket
    def __init__(self):
        self.socket = self.socket.socket()
        self.cycle = self
    def update_cluster_status(self, context, cluster, use_admin_ctx=False):
        self.polls = getattr(self, "polls", 0) + 1
    def get_monitor(self, context, cluster):
        return object()
"""


def descriptors() -> int:
    gc.collect()  # what other tests left behind
    return len(os.listdir("/proc/self/fd"))


def test_500_polls_by_one_instance(packages: Packages, reads: list[str]) -> None:
    """B12: a driver that opens a socket in __init__."""
    packages.driver("socket", body=SOCKET)
    registry.for_cluster(None, Row())
    before = descriptors()
    gc.disable()  # it must not be what closes them
    try:
        for _ in range(500):
            registry.for_cluster(None, Row()).update_cluster_status(None, Row())
            assert monitors.create_monitor(None, Row()) is not None
        assert len(os.listdir("/proc/self/fd")) <= before
    finally:
        gc.enable()
    assert registry.for_cluster(None, Row()).polls == 500


def test_one_that_fails_is_built_anew_in_time(
    packages: Packages, conf: cfg.ConfigOpts, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has read may have changed; B12: not for each failure."""
    packages.driver("one")
    now = 1000.0
    monkeypatch.setattr(registry, "time", types.SimpleNamespace(monotonic=lambda: now))
    with ThreadPoolExecutor(1) as other:

        def instances() -> tuple[Any, Any]:
            return (
                registry.for_template(template()),
                other.submit(registry.for_template, template()).result(),
            )

        first = instances()
        now += conf.sync.backoff_min - 1
        registry.failed(first[0])
        assert instances() == first
        now += 1
        registry.failed(first[0])
        now += 1
        second = instances()
        assert second[0] is not first[0]
        assert second[1] is not first[1]
        now += conf.sync.backoff_min
        registry.failed(first[0])  # an old one says nothing of the new one
        assert instances() == second
        now += registry.LIFETIME
        assert not set(instances()) & {*first, *second}


def test_each_thread_has_its_own_and_takes_it_along(packages: Packages) -> None:
    """B12: threads that end leave nothing behind."""
    packages.driver("socket", body=SOCKET.replace("self.cycle = self", "pass"))
    mine = registry.for_template(template())
    others: list[int] = []
    before = descriptors()

    def ask() -> None:
        assert registry.for_template(template()) is registry.for_template(template())
        others.append(id(registry.for_template(template())) != id(mine))

    for _ in range(20):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()
    assert others == [True] * 20
    assert descriptors() == before


def test_at_the_end_all_go(packages: Packages) -> None:
    """A driver's __del__ may have files to remove."""
    packages.driver("socket", body=SOCKET.replace("self.cycle = self", "pass"))
    before = descriptors()
    with ThreadPoolExecutor(1) as other:
        other.submit(registry.for_template, template()).result()
        registry.for_template(template())
        assert descriptors() > before
        registry.close()
        assert len(os.listdir("/proc/self/fd")) == before
        assert registry.for_template(template())


def test_a_fork_has_its_own(packages: Packages) -> None:
    packages.driver("socket", body=SOCKET)
    parents = registry.for_template(template())
    pid = os.fork()
    if pid == 0:
        os._exit(0 if registry.for_template(template()) is not parents else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


FILE = """
    import os
    import tempfile
    def __init__(self):
        handle, self.path = self.tempfile.mkstemp()
        self.os.close(handle)
    def __del__(self):
        self.os.remove(self.path)
"""


def test_a_fork_leaves_the_files_of_the_other_process(packages: Packages) -> None:
    """oslo.concurrency's commands are such forks, and capi-helm runs helm by it."""
    packages.driver("file", body=FILE)

    def made() -> str:
        driver: Any = registry.for_template(template())
        return str(driver.path)

    with ThreadPoolExecutor(1) as other:
        paths = [made(), other.submit(made).result()]
        processutils.execute("true")
        assert list(map(os.path.exists, paths)) == [True, True]
        pid = os.fork()
        if pid == 0:
            gc.collect()
            os._exit(0)
        os.waitpid(pid, 0)
        assert list(map(os.path.exists, paths)) == [True, True]
    other.shutdown()
    assert list(map(os.path.exists, paths)) == [True, False]  # its thread has ended
    registry.close()
    assert not os.path.exists(paths[0])


def test_a_template_at_hand_is_not_read_again(packages: Packages, reads: list[str]) -> None:
    packages.driver("one")
    registry.for_cluster(None, Row(), template=template())
    registry.for_cluster(None, Row(template()))
    assert reads == []
    registry.for_cluster(None, Row())
    assert reads == ["template"]
    registry.for_cluster(None, Row(template(uuid="the one before the upgrade")))
    assert reads == ["template", "template"]


def test_a_broken_driver_is_unavailable_with_its_import_error(packages: Packages) -> None:
    """B28, B29, B69."""
    packages.driver("good")
    packages.source("bad", "import a_library_that_nobody_has")
    with pytest.raises(exception.DriverUnavailable, match=r"bad.*a_library_that_nobody_has"):
        registry.for_template(template(driver="bad"))
    assert registry.for_template(template())


def test_a_driver_that_is_gone_is_unavailable(packages: Packages) -> None:
    """B29."""
    packages.driver("good")
    with pytest.raises(exception.DriverUnavailable, match=r"gone.*installed are: good"):
        registry.for_template(template(driver="gone"))


def test_a_kind_that_a_broken_driver_may_have_names_it(packages: Packages) -> None:
    with pytest.raises(exception.ClusterTypeNotSupported):
        registry.for_template(template())
    packages.source("bad", "import a_library_that_nobody_has")
    with pytest.raises(
        exception.DriverUnavailable, match=r"\(vm, ubuntu, kubernetes\).*bad \(ModuleNotFound"
    ):
        registry.for_template(template())


def test_a_constructor_that_fails_makes_it_unavailable(packages: Packages) -> None:
    packages.driver("one", body="def __init__(self): raise OSError('no config file')")
    with pytest.raises(exception.DriverUnavailable, match="OSError: no config file"):
        registry.for_template(template(driver="one"))


def test_a_beta_driver_is_refused_by_kind(packages: Packages, conf: cfg.ConfigOpts) -> None:
    packages.driver("new", body="beta = True")
    with pytest.raises(exception.ClusterTypeBetaNotEnabled):
        registry.for_template(template())
    conf.set_override("enabled_beta_drivers", ["new"], "drivers")
    assert registry.for_template(template()).beta
