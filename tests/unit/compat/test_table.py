"""The list of what is offered, in the code and in the documentation."""

import importlib.util
import re
from pathlib import Path

from magnumlite.compat.table import TABLE

DOCUMENT = Path(__file__).parents[3] / "docs" / "drivers.md"


def test_the_documentation_lists_just_what_is_offered() -> None:
    listed = re.findall(r"^\| `(magnum\.[\w.]+)` \|", DOCUMENT.read_text(), re.MULTILINE)
    assert sorted(listed) == sorted(TABLE)


def test_every_target_is_a_module_of_its_own() -> None:
    assert len(set(TABLE.values())) == len(TABLE)
    for target in TABLE.values():
        assert importlib.util.find_spec(target) is not None
