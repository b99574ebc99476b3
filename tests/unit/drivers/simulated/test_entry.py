"""The simulated driver's entry point, in magnumlite and beside magnum's own commands."""

import abc
import importlib
import sys
import types
from typing import Any

import pytest

from magnumlite.drivers.simulated import driver, entry


def test_in_magnumlite_it_is_the_driver() -> None:
    assert entry.Driver is driver.SimulatedDriver
    assert driver.SimulatedDriver().provides == entry.PROVIDES


def test_magnums_own_commands_get_one_of_their_own_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    """B28: an entry point that fails to load stops them."""

    class Theirs(abc.ABC):
        @property
        @abc.abstractmethod
        def provides(self) -> Any: ...

        @abc.abstractmethod
        def create_cluster(self, context: Any, cluster: Any) -> Any: ...

    module = types.ModuleType("magnum.drivers.common.driver")
    module.Driver = Theirs  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "magnum.drivers.common.driver", module)
    made = importlib.reload(entry).Driver
    try:
        assert issubclass(made, Theirs)
        assert made.beta is True
        assert made().provides == entry.PROVIDES
        with pytest.raises(NotImplementedError, match="magnumlite's conductor"):
            made().create_cluster(None, None)
    finally:
        monkeypatch.undo()
        importlib.reload(entry)
