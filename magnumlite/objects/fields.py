"""Field types of magnum's objects, with the values that each enumeration allows.

The values and the odd ones among the members are magnum's (contract/objects.json `enums`).
"""

from __future__ import annotations

from typing import Any

from oslo_log import log
from oslo_versionedobjects import fields

LOG = log.getLogger(__name__)


class _Listed(fields.Enum):
    """An enumeration whose values are the class's ALL."""

    ALL: tuple[str, ...] = ()

    def __init__(self) -> None:
        super().__init__(valid_values=self.ALL)


class ClusterStatus(_Listed):
    """What a cluster or nodegroup is at."""

    CREATE_IN_PROGRESS = "CREATE_IN_PROGRESS"
    CREATE_FAILED = "CREATE_FAILED"
    CREATE_COMPLETE = "CREATE_COMPLETE"
    UPDATE_IN_PROGRESS = "UPDATE_IN_PROGRESS"
    UPDATE_FAILED = "UPDATE_FAILED"
    UPDATE_COMPLETE = "UPDATE_COMPLETE"
    DELETE_IN_PROGRESS = "DELETE_IN_PROGRESS"
    DELETE_FAILED = "DELETE_FAILED"
    DELETE_COMPLETE = "DELETE_COMPLETE"
    RESUME_COMPLETE = "RESUME_COMPLETE"
    RESUME_FAILED = "RESUME_FAILED"
    RESTORE_COMPLETE = "RESTORE_COMPLETE"
    ROLLBACK_IN_PROGRESS = "ROLLBACK_IN_PROGRESS"
    ROLLBACK_FAILED = "ROLLBACK_FAILED"
    ROLLBACK_COMPLETE = "ROLLBACK_COMPLETE"
    SNAPSHOT_COMPLETE = "SNAPSHOT_COMPLETE"
    CHECK_COMPLETE = "CHECK_COMPLETE"
    ADOPT_COMPLETE = "ADOPT_COMPLETE"

    ALL = (
        CREATE_IN_PROGRESS,
        CREATE_FAILED,
        CREATE_COMPLETE,
        UPDATE_IN_PROGRESS,
        UPDATE_FAILED,
        UPDATE_COMPLETE,
        DELETE_IN_PROGRESS,
        DELETE_FAILED,
        DELETE_COMPLETE,
        RESUME_COMPLETE,
        RESUME_FAILED,
        RESTORE_COMPLETE,
        ROLLBACK_IN_PROGRESS,
        ROLLBACK_FAILED,
        ROLLBACK_COMPLETE,
        SNAPSHOT_COMPLETE,
        CHECK_COMPLETE,
        ADOPT_COMPLETE,
    )
    STATUS_FAILED = (CREATE_FAILED, UPDATE_FAILED, DELETE_FAILED, ROLLBACK_FAILED, RESUME_FAILED)


class ClusterHealthStatus(_Listed):
    """How a cluster's Kubernetes API answers."""

    HEALTHY = "HEALTHY"
    UNHEALTHY = "UNHEALTHY"
    UNKNOWN = "UNKNOWN"

    ALL = (HEALTHY, UNHEALTHY, UNKNOWN)
    STATUS_FAILED = UNHEALTHY


class FederationStatus(_Listed):
    """What a federation is at."""

    CREATE_IN_PROGRESS = "CREATE_IN_PROGRESS"
    CREATE_FAILED = "CREATE_FAILED"
    CREATE_COMPLETE = "CREATE_COMPLETE"
    UPDATE_IN_PROGRESS = "UPDATE_IN_PROGRESS"
    UPDATE_FAILED = "UPDATE_FAILED"
    UPDATE_COMPLETE = "UPDATE_COMPLETE"
    DELETE_IN_PROGRESS = "DELETE_IN_PROGRESS"
    DELETE_FAILED = "DELETE_FAILED"
    DELETE_COMPLETE = "DELETE_COMPLETE"

    ALL = (
        CREATE_IN_PROGRESS,
        CREATE_FAILED,
        CREATE_COMPLETE,
        UPDATE_IN_PROGRESS,
        UPDATE_FAILED,
        UPDATE_COMPLETE,
        DELETE_IN_PROGRESS,
        DELETE_FAILED,
        DELETE_COMPLETE,
    )
    STATUS_FAILED = (CREATE_FAILED, UPDATE_FAILED, DELETE_FAILED)


class ContainerStatus(_Listed):
    """What a container is at."""

    ERROR = "Error"
    RUNNING = "Running"
    STOPPED = "Stopped"
    PAUSED = "Paused"
    UNKNOWN = "Unknown"

    ALL = (ERROR, RUNNING, STOPPED, PAUSED, UNKNOWN)


class ClusterType(_Listed):
    """The container orchestration engine."""

    KUBERNETES = "kubernetes"

    ALL = (KUBERNETES,)


class QuotaResourceName(_Listed):
    """What a quota limits."""

    CLUSTER = "Cluster"

    ALL = (CLUSTER,)


class ServerType(_Listed):
    """What nodes are."""

    VM = "vm"
    BM = "bm"

    ALL = (VM, BM)


class MagnumServiceState(_Listed):
    """Whether a conductor is alive."""

    up = "up"
    down = "down"

    ALL = (up, down)


class MagnumServiceBinary(_Listed):
    """The services that send heartbeats."""

    magnum_conductor = ("magnum-conductor",)

    ALL = magnum_conductor


class ListOfDictsField(fields.AutoTypedField):  # type: ignore[type-arg]
    """A list of maps from string to string."""

    AUTO_TYPE = fields.List(fields.Dict(fields.String()))


class AddressListField(fields.ListOfStringsField):
    """A list of addresses; a driver's None among them is dropped (B56)."""

    def coerce(self, obj: Any, attr: str, value: Any) -> Any:
        """Drop None, then coerce."""
        if isinstance(value, list | tuple | set) and None in value:
            LOG.warning(
                "%(field)s of %(name)s %(uuid)s: an address is None and is left out",
                {
                    "field": attr,
                    "name": type(obj).__name__,
                    "uuid": obj.uuid if obj is not None and "uuid" in obj else "without uuid",
                },
            )
            value = [address for address in value if address is not None]
        return super().coerce(obj, attr, value)


class MagnumServiceField(fields.BaseEnumField):
    """Whether a conductor is alive."""

    AUTO_TYPE = MagnumServiceState()


class MagnumServiceBinaryField(fields.BaseEnumField):
    """A service that sends heartbeats."""

    AUTO_TYPE = MagnumServiceBinary()


class ServerTypeField(fields.BaseEnumField):
    """What nodes are."""

    AUTO_TYPE = ServerType()


class ClusterTypeField(fields.BaseEnumField):
    """The container orchestration engine."""

    AUTO_TYPE = ClusterType()


class ContainerStatusField(fields.BaseEnumField):
    """What a container is at."""

    AUTO_TYPE = ContainerStatus()


class ClusterStatusField(fields.BaseEnumField):
    """What a cluster or nodegroup is at."""

    AUTO_TYPE = ClusterStatus()


class ClusterHealthStatusField(fields.BaseEnumField):
    """How a cluster's Kubernetes API answers."""

    AUTO_TYPE = ClusterHealthStatus()


class FederationStatusField(fields.BaseEnumField):
    """What a federation is at."""

    AUTO_TYPE = FederationStatus()
