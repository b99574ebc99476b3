"""Looking resources up with a legacy client."""

from types import SimpleNamespace
from typing import Any

import pytest

from magnumlite import exception
from magnumlite.compat import api_utils

ID = "1c0d9e5e-1b0c-4f0c-9a5e-0c4f1b0c9a5e"


class Manager:
    def __init__(self, *names: str) -> None:
        self._names = names

    def get(self, ident: str) -> str:
        return f"by id {ident}"

    def list(self, filters: dict[str, str]) -> list[Any]:
        return [SimpleNamespace(name=n) for n in self._names if n.startswith(filters["name"])]


def test_by_id_or_by_exact_name() -> None:
    assert api_utils.get_openstack_resource(Manager(), ID, "images") == f"by id {ID}"
    found = api_utils.get_openstack_resource(Manager("one", "one-more"), "one", "images")
    assert found.name == "one"


def test_none_or_several_of_a_name() -> None:
    with pytest.raises(exception.ResourceNotFound, match="images resource one"):
        api_utils.get_openstack_resource(Manager("two"), "one", "images")
    with pytest.raises(exception.Conflict, match="Multiple images exist with the name one"):
        api_utils.get_openstack_resource(Manager("one", "one"), "one", "images")
