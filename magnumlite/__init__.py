"""magnumlite: a drop-in magnum-conductor.

Importing the package selects native threads for oslo.service before anything can import
oslo.messaging, which otherwise looks for eventlet (DESIGN section 2).
"""

from oslo_service import backend as _backend

_backend.init_backend(_backend.BackendType.THREADING)
