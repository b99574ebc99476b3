"""Versioned-object indirection: the database on behalf of magnum-api.

Only remotable methods run, with the caller's context, so that a tenant neither sees nor changes
another's rows (known defect B67).
"""

from __future__ import annotations

from typing import Any

from oslo_messaging.rpc import dispatcher
from oslo_versionedobjects import exception as ovo_exc

from magnumlite import objects
from magnumlite.objects import versions
from magnumlite.objects.base import MagnumObject


class IndirectionHandler:
    """The indirection endpoint."""

    def object_class_action_versions(
        self,
        context: Any,
        objname: str,
        objmethod: str,
        object_versions: dict[str, str],
        args: Any,
        kwargs: Any,
    ) -> Any:
        """Run a remotable class method; return objects at the versions that are asked for.

        Raises:
            ExpectedException: around whatever the method raises.
            UnsupportedObjectError, IncompatibleObjectVersion: the class is not known like that.
        """
        kind = MagnumObject.obj_class_from_name(objname, _version(objname, object_versions))
        try:
            _require_remotable(kind, objmethod, f"type object '{kind.__name__}'")
            result = getattr(kind, objmethod)(context, *args, **kwargs)
            if (objname, objmethod) == ("NodeGroup", "list") and not result:
                # magnum-api reads a cluster and then its nodegroups, and takes none for a
                # mistake of the user's (400); of a cluster that went meanwhile it says 404.
                objects.Cluster.get_by_uuid(context, *args[:1] or [kwargs["cluster_id"]])
        except Exception:
            raise dispatcher.ExpectedException from None
        return versions.at(result, object_versions)

    def object_action(
        self, context: Any, objinst: Any, objmethod: str, args: Any, kwargs: Any
    ) -> tuple[dict[str, Any], Any]:
        """Run a remotable method of an object; return what it changed, and its result.

        Raises:
            ExpectedException: around whatever the method raises.
        """
        before = objinst.obj_clone()
        try:
            _require_remotable(type(objinst), objmethod, f"'{type(objinst).__name__}' object")
            result = getattr(objinst, objmethod)(context, *args, **kwargs)
        except Exception:
            raise dispatcher.ExpectedException from None
        updates: dict[str, Any] = {}
        for name, field in objinst.fields.items():
            if not objinst.obj_attr_is_set(name):
                continue
            value = getattr(objinst, name)
            if not before.obj_attr_is_set(name) or getattr(before, name) != value:
                updates[name] = field.to_primitive(objinst, name, value)
        # A set crosses the wire as a list; the caller makes a set of it.
        updates["obj_what_changed"] = objinst.obj_what_changed()
        return updates, result

    def object_backport_versions(
        self, context: Any, objinst: Any, object_versions: dict[str, str]
    ) -> Any:
        """Return the primitive of an object at an older version.

        Raises:
            IncompatibleObjectVersion: the caller does not say which one.
        """
        _version(objinst.obj_name(), object_versions)
        return versions.at(objinst, object_versions)


def _version(name: str, known: dict[str, str]) -> str:
    """Return the version a caller has of an object (known defect B59: no bare KeyError).

    Raises:
        IncompatibleObjectVersion: the manifest does not name it.
    """
    try:
        return known[name]
    except KeyError:
        raise ovo_exc.IncompatibleObjectVersion(
            objname=name, objver="none", supported=", ".join(sorted(known)) or "none"
        ) from None


def _require_remotable(kind: type[Any], name: str, shown: str) -> None:
    """Refuse what is not a remotable method; looked up on the class, so that nothing is loaded.

    Raises:
        AttributeError: there is none of this name; methods that are not remotable look the same.
    """
    if name.startswith("_") or not getattr(getattr(kind, name, None), "remotable", False):
        raise AttributeError(f"{shown} has no attribute '{name}'")
