"""Objects as an older peer knows them (known defect B59)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from magnumlite.objects.base import MagnumObject

Versions = Mapping[str, str]

_NAME = f"{MagnumObject.OBJ_SERIAL_NAMESPACE}.name"
_VERSION = f"{MagnumObject.OBJ_SERIAL_NAMESPACE}.version"


def found_in(primitive: Any) -> dict[str, str]:
    """Return the version of each kind of object in a request's primitive, nested ones too."""
    if isinstance(primitive, list):
        inner = primitive
    elif isinstance(primitive, dict):
        inner = list(primitive.values())
    else:
        return {}
    found: dict[str, str] = {}
    for item in inner:
        found |= found_in(item)
    if isinstance(primitive, dict) and _NAME in primitive:
        found[primitive[_NAME]] = primitive[_VERSION]
    return found


def at(value: Any, known: Versions) -> Any:
    """Return the objects in `value`, alone or in a list, as primitives of the known versions.

    Objects whose kind is not among the known ones stay as they are.
    """
    if isinstance(value, MagnumObject) and value.obj_name() in known:
        return value.obj_to_primitive(
            target_version=known[value.obj_name()], version_manifest=dict(known)
        )
    if isinstance(value, list | tuple):
        return [at(item, known) for item in value]
    return value
