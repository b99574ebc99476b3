"""What the entry-point group magnum.drivers holds: loaded classes, and why others did not load.

A package that cannot be imported must not hurt the others (known defects B28, B69), so loading
catches whatever an import can raise and keeps its text. Each entry point is tried once a process.
"""

import contextlib
import dataclasses
import importlib.metadata
import threading
import time
import traceback
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from oslo_log import log

from magnumlite import exception
from magnumlite.conf import CONF

LOG = log.getLogger(__name__)

GROUP = "magnum.drivers"

Kind = tuple[str | None, str | None, str | None]
"""What a driver is chosen by when the template names none: (server_type, os, coe)."""


RETRY = 30.0
"""Seconds after which a driver that could not be instantiated is tried again."""


@dataclasses.dataclass(frozen=True)
class Offer:
    """One entry point: the loaded driver class, or the text of the error that kept it out."""

    entry_point: importlib.metadata.EntryPoint
    driver: Any = None
    error: str | None = None


class _Stalled(NamedTuple):
    """Why a loaded driver cannot be instantiated, and until when it is not tried again."""

    error: str
    until: float  # on the monotonic clock


class Catalog:
    """The entry points of one process, each loaded at most once, when first asked for."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._entry_points: dict[str, importlib.metadata.EntryPoint] | None = None
        self._offers: dict[str, Offer] = {}
        self._kinds: dict[str, list[Kind]] = {}
        self._stalled: dict[str, _Stalled] = {}

    def names(self) -> list[str]:
        """Names of all entry points, disabled and broken ones too, in alphabetical order."""
        return sorted(self._found())

    def enabled(self) -> list[str]:
        """Names not listed in [drivers]disabled_drivers, in alphabetical order."""
        disabled = set(CONF.drivers.disabled_drivers)
        return [name for name in self.names() if name not in disabled]

    def offer(self, name: str) -> Offer | None:
        """Load one entry point, or say why it does not load; None when there is none."""
        with self._lock:
            if name not in self._offers:
                entry_point = self._found().get(name)
                if entry_point is None:
                    return None
                self._offers[name] = _load(entry_point)
            return self._offers[name]

    @contextlib.contextmanager
    def standing_in(self, name: str, driver: type[Any]) -> Iterator[None]:
        """Give another class out for a driver inside the block: one that watches it.

        Pre: the driver loads.
        """
        with self._lock:
            replaced = self._offers[name]
            self._offers[name] = dataclasses.replace(replaced, driver=driver)
        try:
            yield
        finally:
            with self._lock:
                self._offers[name] = replaced

    def kinds(self, name: str) -> list[Kind] | None:
        """Return the kinds that a loaded driver provides, None while it cannot tell.

        It takes an instance to know, so what one has told is kept. One that cannot be made,
        because what the driver talks to is away, is logged and tried again after RETRY seconds.
        """
        if name in self._kinds:
            return self._kinds[name]
        offer, stalled = self.offer(name), self._stalled.get(name)
        if offer is None or offer.error or (stalled and time.monotonic() < stalled.until):
            return None
        try:
            provided = offer.driver().provides
            self._kinds[name] = [(p["server_type"], p["os"], p["coe"]) for p in provided]
        except Exception as caught:
            error = caught
        else:
            self._stalled.pop(name, None)
            return self._kinds[name]
        self._stalled[name] = _Stalled(brief(error), time.monotonic() + RETRY)
        if stalled is None or stalled.error != brief(error):
            _log("cannot be instantiated", offer.entry_point, error)
        return None

    def loaded(self) -> Iterator[Offer]:
        """Enabled drivers that load, in alphabetical order."""
        for name in self.enabled():
            offer = self.offer(name)
            if offer is not None and offer.error is None:
                yield offer

    def failures(self) -> dict[str, str]:
        """Enabled drivers that cannot be used now: name to error text."""
        found = {}
        for name in self.enabled():
            offer, stalled = self.offer(name), self._stalled.get(name)
            if offer is not None and offer.error:
                found[name] = offer.error
            elif stalled is not None:
                found[name] = stalled.error
        return found

    def _found(self) -> dict[str, importlib.metadata.EntryPoint]:
        with self._lock:
            if self._entry_points is None:
                self._entry_points = {}
                for entry_point in importlib.metadata.entry_points(group=GROUP):
                    first = self._entry_points.setdefault(entry_point.name, entry_point)
                    if first.value != entry_point.value:
                        LOG.warning(
                            "Two packages offer a driver named %s: %s is used, %s is not.",
                            entry_point.name, first.value, entry_point.value,
                        )  # fmt: skip
            return self._entry_points


def _load(entry_point: importlib.metadata.EntryPoint) -> Offer:
    try:
        return Offer(entry_point, driver=entry_point.load())
    except KeyboardInterrupt:
        raise
    except BaseException as caught:
        # Not only Exception: a module may call sys.exit(), and panics of extension modules
        # written in Rust derive from BaseException.
        error = caught
    _log("cannot be imported", entry_point, error)
    return Offer(entry_point, error=brief(error))


def _log(what: str, entry_point: importlib.metadata.EntryPoint, error: BaseException) -> None:
    at = traceback.extract_tb(error.__traceback__)[-1]
    LOG.error(
        "Driver %s (%s) %s and is skipped: %s (%s line %s)",
        entry_point.name, entry_point.value, what, brief(error), at.filename, at.lineno,
    )  # fmt: skip
    LOG.debug("Where driver %s failed:", entry_point.name, exc_info=error)


def brief(error: BaseException) -> str:
    """Return the class and text of an error."""
    return f"{type(error).__name__}: {error}"


CATALOG = Catalog()


def select(
    drivers: Callable[[], dict[Kind, dict[str, Any]]], kind: Kind, name: str | None
) -> tuple[str, Any]:
    """Return (entry point name, driver class) for a template's driver name or else its kind.

    `drivers` gives the map of Driver.get_drivers; it is asked only when there is no name.
    The rules, with their exceptions, are those of Driver.get_driver (contract/drivers.md).
    """
    if name:
        offer = CATALOG.offer(name)
        if offer is None:
            raise exception.ClusterDriverNotSupported(driver_name=name)
        if offer.error is not None:
            raise exception.DriverUnavailable(driver_name=name, reason=offer.error)
        return name, offer.driver
    known = drivers()
    server_type, os, coe = kind
    if kind not in known:
        supported = sorted(f"({', '.join(map(str, each))})" for each in known)
        raise exception.ClusterTypeNotSupported(
            server_type=server_type,
            os=os,
            coe=coe,
            supported_cluster_types=", ".join(supported) or "no driver is installed",
        )
    name, driver = known[kind]["entry_point_name"], known[kind]["class"]
    if driver.beta and name not in CONF.drivers.enabled_beta_drivers:
        raise exception.ClusterTypeBetaNotEnabled(
            server_type=server_type, os=os, coe=coe, driver_name=name
        )
    return name, driver
