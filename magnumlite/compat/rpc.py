"""The process's transports, clients and notifiers; stands for magnum.common.rpc."""

from typing import Any

import oslo_messaging

from magnumlite.conf import CONF
from magnumlite.notifications import notifier
from magnumlite.rpc import transport
from magnumlite.rpc.serializers import RequestSerializer

_extra_exmods: list[str] = []


def init(conf: Any) -> None:
    """Make the transports of this process; `conf` is CONF, whatever is given."""
    transport.rpc()
    notifier.notifier()


def cleanup() -> None:
    """Close the transports of this process."""
    transport.cleanup()


def set_defaults(control_exchange: str) -> None:
    """Set the default of [DEFAULT]control_exchange."""
    CONF.set_default("control_exchange", control_exchange)


def add_extra_exmods(*args: str) -> None:
    """Note modules whose exceptions a caller may get; counts for get_allowed_exmods only."""
    _extra_exmods.extend(args)


def clear_extra_exmods() -> None:
    """Forget the modules of add_extra_exmods."""
    _extra_exmods.clear()


def get_allowed_exmods() -> list[str]:
    """Return the modules whose exceptions a caller gets."""
    return [*transport.EXMODS, *_extra_exmods]


def get_transport_url(url_str: str | None = None) -> Any:
    """Return a transport URL, that of the configuration without an argument."""
    return oslo_messaging.TransportURL.parse(CONF, url_str)


def get_client(
    target: Any, version_cap: str | None = None, serializer: Any = None, timeout: Any = None
) -> Any:
    """Return an RPC client for a target."""
    return oslo_messaging.get_rpc_client(
        transport.rpc(),
        target,
        version_cap=version_cap,
        serializer=serializer or RequestSerializer(),
        timeout=timeout,
    )


def get_server(target: Any, endpoints: list[Any], serializer: Any = None) -> Any:
    """Return an RPC server for a target; it is not started."""
    return oslo_messaging.get_rpc_server(
        transport.rpc(),
        target,
        endpoints,
        serializer=serializer or RequestSerializer(),
    )


def get_notifier(
    service: str = "container-infra", host: str | None = None, publisher_id: str | None = None
) -> Any:
    """Return a notifier that publishes as `publisher_id`, or as `<service>.<host>`."""
    name = publisher_id or f"{service}.{host or CONF.host}"
    return notifier.notifier().prepare(publisher_id=name)
