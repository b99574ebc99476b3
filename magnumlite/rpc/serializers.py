"""How contexts and objects travel (contract/rpc.json, ``transport``)."""

from __future__ import annotations

from typing import Any

import oslo_messaging
from oslo_versionedobjects import base as ovo

from magnumlite.context import RequestContext
from magnumlite.objects.base import MagnumObject
from magnumlite.rpc.reply import Later

_NAME = f"{MagnumObject.OBJ_SERIAL_NAMESPACE}.name"


class MagnumObjectSerializer(ovo.VersionedObjectSerializer):
    """Versioned objects as ``magnum_object.*`` primitives, in lists and dicts too."""

    OBJ_BASE_CLASS = MagnumObject

    def serialize_entity(self, context: Any, entity: Any) -> Any:
        """Return `entity` as a primitive.

        A reply that comes later passes as it is, and so does what is a primitive already:
        indirection makes them, and walking through 500 of them again would cost as much.
        """
        if isinstance(entity, Later) or (isinstance(entity, dict) and _NAME in entity):
            return entity
        return super().serialize_entity(context, entity)


class RequestSerializer(oslo_messaging.Serializer):  # type: ignore[misc]
    """The request's context as a dict, its entities as objects."""

    def __init__(self) -> None:
        self._entities = MagnumObjectSerializer()

    def serialize_entity(self, context: Any, entity: Any) -> Any:
        """Return `entity` as a primitive."""
        return self._entities.serialize_entity(context, entity)

    def deserialize_entity(self, context: Any, entity: Any) -> Any:
        """Return the objects in `entity`.

        Raises:
            IncompatibleObjectVersion: an object is newer than ours.
        """
        return self._entities.deserialize_entity(context, entity)

    def serialize_context(self, context: Any) -> dict[str, Any]:
        """Return the context as a dict; a dict is passed as it is."""
        values: dict[str, Any] = context if isinstance(context, dict) else context.to_dict()
        return values

    def deserialize_context(self, context: dict[str, Any]) -> RequestContext:
        """Return the context of a dict; keys that are not known are ignored."""
        return RequestContext.from_dict(context)
