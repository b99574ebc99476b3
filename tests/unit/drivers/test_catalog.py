"""Loading what the entry points offer, and living with what does not load."""

import logging
import pathlib
import sys

import pytest
from oslo_config import cfg

from magnumlite.drivers import catalog, registry
from magnumlite.drivers.base import Driver
from tests.unit.drivers.packages import Packages, packages

__all__ = ["packages"]

BROKEN = {
    "missing-library": ("import a_library_that_nobody_has", "ModuleNotFoundError: No module"),
    "missing-name": ("from os import nothing_of_that_name", "ImportError: cannot import name"),
    "syntax": ("def broken(:", "SyntaxError: "),
    "exits": ("import sys; sys.exit('no licence')", "SystemExit: no licence"),
    "raises": ("1 / 0", "ZeroDivisionError: division by zero"),
    "panics": ("class P(BaseException): pass\nraise P('at lib.rs')", "P: at lib.rs"),
    "no-class": ("", "AttributeError: "),
}


@pytest.mark.parametrize("fault", BROKEN)
def test_a_driver_that_does_not_import_is_skipped(packages: Packages, fault: str) -> None:
    """B28, B69."""
    source, text = BROKEN[fault]
    packages.driver("good")
    packages.source("bad", source)
    assert registry.names() == ["good"]
    failures = registry.failures()
    assert list(failures) == ["bad"]
    assert failures["bad"].startswith(text)


def test_a_missing_module_is_a_failure_too(packages: Packages) -> None:
    packages.entry_point("gone", "absent_module_of_a_driver:Made")
    assert "absent_module_of_a_driver" in registry.failures()["gone"]


def test_a_driver_that_cannot_be_instantiated_is_skipped(packages: Packages) -> None:
    packages.driver("good")
    packages.source(
        "abstract", "from magnumlite.drivers.base import Driver\nclass Made(Driver): ..."
    )
    assert list(Driver.get_drivers()) == [("vm", "ubuntu", "kubernetes")]
    assert "abstract" in registry.failures()["abstract"]


AWAY = """
    def __init__(self):
        open(%r).close()
"""


def test_a_driver_whose_backend_was_away_comes_back(
    packages: Packages,
    tmp_path: pathlib.Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A missing kubeconfig, a management cluster that is down."""
    kubeconfig = tmp_path / "kubeconfig"
    packages.driver("good", os="flatcar")
    packages.driver("away", body=AWAY % str(kubeconfig))
    monkeypatch.setattr(catalog, "RETRY", 0.0)
    with caplog.at_level(logging.ERROR, "magnumlite.drivers.catalog"):
        for _ in range(3):
            assert list(Driver.get_drivers()) == [("vm", "flatcar", "kubernetes")]
    assert len(caplog.records) == 1
    assert "No such file" in registry.failures()["away"]
    kubeconfig.touch()
    assert len(Driver.get_drivers()) == 2
    assert registry.failures() == {}
    assert Driver.get_drivers() is Driver.definitions


def test_a_driver_whose_backend_is_away_is_not_tried_all_the_time(packages: Packages) -> None:
    packages.driver("away", body="made = []\ndef __init__(self): self.made.append(1); 1 / 0")
    for _ in range(5):
        assert Driver.get_drivers() == {}
    offer = catalog.CATALOG.offer("away")
    assert offer is not None
    assert offer.driver.made == [1]


def test_a_failure_is_logged_once_with_its_place(
    packages: Packages, caplog: pytest.LogCaptureFixture
) -> None:
    packages.source("bad", "# first line\nimport a_library_that_nobody_has")
    with caplog.at_level(logging.ERROR, "magnumlite.drivers.catalog"):
        for _ in range(5):
            registry.names()
            registry.failures()
    (record,) = caplog.records
    assert "Driver bad" in record.message
    assert "a_library_that_nobody_has" in record.message
    assert "line 2" in record.message


def test_an_interrupt_is_not_swallowed(packages: Packages) -> None:
    packages.source("bad", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        registry.names()


def test_disabled_drivers_are_not_even_imported(packages: Packages, conf: cfg.ConfigOpts) -> None:
    packages.driver("good")
    packages.source("bad", "import a_library_that_nobody_has")
    conf.set_override("disabled_drivers", ["bad"], "drivers")
    assert registry.names() == ["good"]
    assert registry.failures() == {}
    assert not [name for name in sys.modules if name.startswith("made_bad")]


def test_two_packages_with_one_name_are_told(
    packages: Packages, caplog: pytest.LogCaptureFixture
) -> None:
    packages.driver("same", os="one")
    packages.driver("same", os="two")
    with caplog.at_level(logging.WARNING, "magnumlite.drivers.catalog"):
        packages.look_again()
    assert "Two packages offer a driver named same" in caplog.text
    assert catalog.CATALOG.names() == ["same"]
