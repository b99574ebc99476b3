"""Every name that magnum-capi-helm 1.4.0 and magnum-cluster-api 0.38 import of magnum is there."""

import importlib
import inspect
import json
import re
from pathlib import Path
from typing import Any

import pytest

NAMES = json.loads((Path(__file__).parent / "data" / "driver_names.json").read_text())


def resolve(name: str) -> Any:
    """Import as much of a dotted name as is a module, and get the rest as attributes."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ImportError:
            continue
        for attribute in parts[n:]:
            found = getattr(found, attribute)
        return found
    raise AssertionError(f"{name} cannot be imported")


def parameters(signature: str) -> list[str]:
    """Return names and defaults of a signature's parameters, without annotations."""
    inside = signature.partition("(")[2].rpartition(")")[0]
    while "[" in inside:
        inside = re.sub(r"\[[^\[\]]*\]", "", inside)
    found = [re.sub(r":[^=]*", "", part).replace(" ", "") for part in inside.split(",")]
    return [part for part in found if part not in ("", "self")]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.usefixtures("alias")
def test_a_name_is_there_with_its_signature(name: str) -> None:
    fact, found = NAMES[name], resolve(name)
    if fact["kind"] == "module":
        assert inspect.ismodule(found)
    elif fact["kind"] in ("str", "bool"):
        assert str(found) == fact["value"]
    elif fact["kind"] == "class":
        assert inspect.isclass(found)
    elif fact["kind"] == "function":
        assert callable(found)
    if "signature" in fact:
        theirs, ours = parameters(fact["signature"]), parameters(str(inspect.signature(found)))
        # We may take more by keyword where magnum takes anything by keyword.
        missing = [part for part in theirs if part not in ours]
        assert missing == []
        positional = [part for part in theirs if not part.startswith("*")]
        assert ours[: len(positional)] == positional
