"""Looking resources up by name or id; stands for magnum.api.utils."""

from typing import Any

from oslo_utils import uuidutils

from magnumlite import exception


def get_openstack_resource(manager: Any, resource_ident: str, resource_type: str) -> Any:
    """Return the resource with that id or name from a legacy client's manager.

    `manager` has get(id) and list(filters={"name": ...}); `resource_type` is for error texts.

    Raises:
        ResourceNotFound: no resource has the name.
        Conflict: several have it.
    """
    if uuidutils.is_uuid_like(resource_ident):
        return manager.get(resource_ident)
    found = [r for r in manager.list(filters={"name": resource_ident}) if r.name == resource_ident]
    if not found:
        raise exception.ResourceNotFound(name=resource_type, id=resource_ident)
    if len(found) > 1:
        raise exception.Conflict(
            f"Multiple {resource_type} exist with the name {resource_ident}; use the id instead."
        )
    return found[0]
