"""The places a cluster's certificates are kept, chosen by [certificates]cert_manager_type.

Stands for ``magnum.common.cert_manager``. The alias table points
``magnum.common.cert_manager.X_cert_manager`` at the module ``X`` here and
``magnum.common.cert_manager.cert_manager`` at ``base``.
"""

from __future__ import annotations

import functools
import importlib
from types import ModuleType
from typing import Any, cast

from stevedore import driver

from magnumlite import exception
from magnumlite.conf import CONF

_OURS = ("barbican", "x509keypair", "local")


def get_backend() -> ModuleType:
    """Return the module of the configured store: it has ``Cert`` and ``CertManager``.

    Names that are not ours are looked up in the entry-point group
    ``magnum.cert_manager.backend``, where out-of-tree stores are.

    Raises:
        ConfigInvalid: no such store can be loaded.
    """
    return _load(CONF.certificates.cert_manager_type)


@functools.cache
def _load(name: str) -> ModuleType:
    try:
        if name in _OURS:
            return importlib.import_module(f"{__name__}.{name}")
        found: Any = driver.DriverManager("magnum.cert_manager.backend", name)
    except Exception as error:
        # An import may raise anything; that of barbican needs magnumlite[openstack].
        raise exception.ConfigInvalid(
            error_msg=f"[certificates]cert_manager_type = {name} cannot be loaded: {error}"
        ) from error
    return cast(ModuleType, found.driver)
