"""What magnum's versioned objects have in common (contract/objects.json)."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Collection, Iterable, Mapping, MutableMapping
from typing import Any, ClassVar, ParamSpec, TypeVar, cast

from oslo_utils import strutils, uuidutils
from oslo_versionedobjects import base as ovo_base
from oslo_versionedobjects import fields as ovo_fields

from magnumlite import exception
from magnumlite.db import models

P = ParamSpec("P")
R = TypeVar("R")
Self = TypeVar("Self", bound="MagnumObject")

#: Python types whose values are stored as they come from the database.
_AS_READ: dict[type, type] = {
    ovo_fields.StringField: str,
    ovo_fields.UUIDField: str,
    ovo_fields.IntegerField: int,
    ovo_fields.BooleanField: bool,
}


def remotable(method: Callable[P, R]) -> Callable[P, R]:
    """Let the method run on the conductor when the class has an indirection_api.

    Annotations are taken off: they would be part of the object's fingerprint, which is magnum's.
    """
    method.__annotations__ = {}
    remote: Any = ovo_base.remotable(method)
    return cast("Callable[P, R]", remote)


#: A field's name, where its value is stored, the type or values that need no coercion, whether
#: None is one, and the field.
_Place = tuple[str, str, type | None, Collection[str], bool, Any]


class MagnumObjectRegistry(ovo_base.VersionedObjectRegistry):
    """The registry that magnum's objects are registered in."""

    def registration_hook(self, cls: Any, index: int) -> None:
        """Note where a row's values go."""
        cls.from_row = _plan(cls)
        cls.inner = tuple(
            f"_obj_{name}"
            for name, field in cls.fields.items()
            if isinstance(field, ovo_fields.ObjectField)
        )


class MagnumObject(ovo_base.VersionedObject):
    """Base of all objects."""

    OBJ_SERIAL_NAMESPACE = "magnum_object"
    OBJ_PROJECT_NAMESPACE = "magnum"

    from_row: ClassVar[tuple[_Place, ...]] = ()
    #: Where the fields that are objects store theirs.
    inner: ClassVar[tuple[str, ...]] = ()

    def obj_to_primitive(
        self, target_version: str | None = None, version_manifest: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """Return the object as it travels; see oslo.versionedobjects.

        The library's own way asks each field several questions; most replies hold many objects
        of our own version without objects inside, and those are copied straight.
        """
        if target_version not in (None, self.VERSION) or self._obj_inner():
            primitive: dict[str, Any] = super().obj_to_primitive(
                target_version=target_version,
                version_manifest=dict(version_manifest) if version_manifest else None,
            )
            return primitive
        stored = self.__dict__
        data: dict[str, Any] = {}
        for name, place, _, _, _, field in self.from_row:
            if place in stored:
                value = stored[place]
                plain = value is None or type(value) in (str, int, bool)
                data[name] = value if plain else field.to_primitive(self, name, value)
        prefix = self.OBJ_SERIAL_NAMESPACE
        primitive = {
            f"{prefix}.name": self.obj_name(),
            f"{prefix}.namespace": self.OBJ_PROJECT_NAMESPACE,
            f"{prefix}.version": self.VERSION,
            f"{prefix}.data": data,
        }
        if self._changed_fields:
            primitive[f"{prefix}.changes"] = sorted(self._changed_fields)
        return primitive

    def obj_what_changed(self) -> set[str]:
        """Return the names of the fields that changed, also inside objects that are fields."""
        if self._obj_inner():
            inner: set[str] = super().obj_what_changed()
            return inner
        return {name for name in self._changed_fields if f"_obj_{name}" in self.__dict__}

    def _obj_inner(self) -> bool:
        """Tell whether a field holds an object."""
        return any(place in self.__dict__ for place in self.inner)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields that are set."""
        return {name: getattr(self, name) for name in self.fields if self.obj_attr_is_set(name)}

    def obj_load_attr(self, attrname: str) -> None:
        """Refuse to load a field that is not set: fields come with the row."""
        raise exception.ObjectError(
            action="obj_load_attr",
            obj_name=self.obj_name(),
            obj_id=_identity(self),
            reason=f"field {attrname} is not set",
        )


class MagnumObjectDictCompat(ovo_base.VersionedObjectDictCompat):
    """Lets fields be read as items."""


class MagnumPersistentObject:
    """Objects with a row that tells when it was made and changed."""

    fields: MutableMapping[str, Any] = {
        "created_at": ovo_fields.DateTimeField(nullable=True),
        "updated_at": ovo_fields.DateTimeField(nullable=True),
    }

    created_at: datetime.datetime | None
    updated_at: datetime.datetime | None


def hydrate(obj: Self, row: models.Base | Mapping[str, Any]) -> Self:
    """Fill the object from a row, or from a mapping with all its columns, and mark it unchanged.

    Values that already are what their field holds go straight into place; the others are
    coerced as in an assignment.
    """
    read = row.__dict__.get if isinstance(row, models.Base) else row.__getitem__
    store = obj.__dict__
    for name, place, expected, allowed, nullable, field in obj.from_row:
        value = read(name)
        if (value is None and nullable) or type(value) is expected or value in allowed:
            store[place] = value
        else:
            store[place] = field.coerce(obj, name, value)
    obj._changed_fields = set()
    return obj


def _plan(cls: type[MagnumObject]) -> tuple[_Place, ...]:
    plan = []
    for name, field in cls.fields.items():
        if isinstance(field, ovo_fields.ObjectField):
            continue
        allowed = field.valid_values if isinstance(field, ovo_fields.BaseEnumField) else ()
        expected = _AS_READ.get(type(field))
        plan.append((name, f"_obj_{name}", expected, allowed, field.nullable, field))
    return tuple(plan)


def hydrate_all(cls: type[Self], context: Any, rows: Iterable[models.Base]) -> list[Self]:
    """Return an object of that class for each row."""
    return [cls._from_db_object(cls(context), row) for row in rows]  # type: ignore[attr-defined]


def changes_of(obj: MagnumObject) -> dict[str, Any]:
    """Return the changed fields with the values that their columns take."""
    changes: dict[str, Any] = obj.obj_get_changes()
    return {name: _column_value(value) for name, value in changes.items()}


def _column_value(value: Any) -> Any:
    if isinstance(value, datetime.datetime) and value.tzinfo is not None:
        return value.astimezone(datetime.UTC).replace(tzinfo=None)
    return value


def take_over(obj: MagnumObject, current: MagnumObject) -> None:
    """Copy the set fields that differ, and mark them changed (contract `refresh`)."""
    for name, *_ in obj.from_row:
        if obj.obj_attr_is_set(name) and getattr(obj, name) != getattr(current, name):
            setattr(obj, name, getattr(current, name))


def identified(identity: Any, by_id: Callable[[int], R], by_uuid: Callable[[str], R]) -> R:
    """Return what `by_id` or `by_uuid` finds, whichever the identity looks like.

    Raises:
        InvalidIdentity: it is neither an integer nor a UUID.
    """
    if strutils.is_int_like(identity):
        return by_id(int(identity))
    if uuidutils.is_uuid_like(identity):
        return by_uuid(identity)
    raise exception.InvalidIdentity(identity=identity)


def _identity(obj: MagnumObject) -> str:
    for name in ("uuid", "id"):
        if name in obj.fields and obj.obj_attr_is_set(name):
            return str(getattr(obj, name))
    return "without an id"
