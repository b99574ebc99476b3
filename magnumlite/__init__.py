"""magnumlite: a drop-in magnum-conductor.

Importing the package selects native threads for oslo.service before anything can import
oslo.messaging, which otherwise looks for eventlet (DESIGN section 2).
"""

import contextlib
import warnings

from oslo_service import backend as _backend
from oslo_service.backend.exceptions import BackendAlreadySelected as _BackendAlreadySelected

with warnings.catch_warnings():
    # It looks whether eventlet is there, and eventlet warns everybody who does.
    warnings.simplefilter("ignore")
    import futurist  # noqa: F401

# Others may come first, but never in our own commands: oslo-config-generator loads
# oslo.messaging's options before ours, and only wants to list them.
with contextlib.suppress(_BackendAlreadySelected):
    _backend.init_backend(_backend.BackendType.THREADING)
