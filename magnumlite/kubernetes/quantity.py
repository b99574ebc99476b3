"""Kubernetes quantities: "500m", "1Ki", "1.5Gi", "1e3" (contract/drivers.md)."""

from __future__ import annotations

import re

from magnumlite import exception

UNITS = {
    **{suffix: 1000.0**power for power, suffix in enumerate(("n", "u", "m", "", *"kMGTPE"), -3)},
    **{f"{prefix}i": 1024.0**power for power, prefix in enumerate("KMGTPE", 1)},
}
_FORM = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)([A-Za-z]*)")


def get_k8s_quantity(quantity: str | int | float) -> float:
    """Return a quantity as a number of its base unit: cores, bytes.

    Raises:
        UnsupportedK8sQuantityFormat: the text is no quantity.
    """
    form = _FORM.fullmatch(str(quantity).strip())
    if form is None or form[2] not in UNITS:
        raise exception.UnsupportedK8sQuantityFormat()
    return float(form[1]) * UNITS[form[2]]
