"""What the entry point `simulated` gives to whoever loads it.

Magnum's own commands load every entry point of magnum.drivers too, and one that fails stops
them (known defect B28). Beside them the driver itself cannot be: it would register magnumlite's
options over magnum's. They get a class of the same name and kind, enough for magnum-api to check
requests by; operations run in magnumlite's conductor.
"""

import sys
from typing import Any

PROVIDES = [{"server_type": "vm", "os": "simulated-os", "coe": "kubernetes"}]


def _elsewhere(self: Any, *args: Any, **kwargs: Any) -> None:
    raise NotImplementedError("The simulated driver runs in magnumlite's conductor only.")


def _choose() -> Any:
    host = sys.modules.get("magnum.drivers.common.driver")
    if host is None or host.__name__.startswith("magnumlite."):
        from magnumlite.drivers.simulated.driver import SimulatedDriver

        return SimulatedDriver
    members: dict[str, Any] = dict.fromkeys(host.Driver.__abstractmethods__, _elsewhere)
    members |= {"__doc__": __doc__, "beta": True, "provides": PROVIDES}
    return type("SimulatedDriver", (host.Driver,), members)


Driver = _choose()
