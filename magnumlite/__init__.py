"""magnumlite: a drop-in magnum-conductor.

Importing the package selects native threads for oslo.service before anything can import
oslo.messaging, which otherwise looks for eventlet (DESIGN section 2).
"""

import contextlib
import sys
import warnings
from collections.abc import Iterator

from oslo_service import backend as _backend
from oslo_service.backend.exceptions import BackendAlreadySelected as _BackendAlreadySelected


@contextlib.contextmanager
def _eventlet_unseen() -> Iterator[None]:
    """Have libraries that only look whether eventlet is there not find it.

    Nobody here uses it, it warns everybody who imports it, and it is a sixth of the start.
    """
    if "eventlet" in sys.modules:
        yield
        return
    sys.modules["eventlet"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules["eventlet"]


with _eventlet_unseen(), warnings.catch_warnings():
    warnings.simplefilter("ignore")
    # Others may come first, but never in our own commands: oslo-config-generator loads
    # oslo.messaging's options before ours, and only wants to list them.
    with contextlib.suppress(_BackendAlreadySelected):
        _backend.init_backend(_backend.BackendType.THREADING)
    import futurist  # noqa: F401
    import oslo_messaging  # noqa: F401
