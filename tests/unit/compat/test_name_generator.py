"""Names for clusters."""

import re

from magnumlite.compat.name_generator import NameGenerator


def test_a_name_is_a_greek_letter_and_a_number() -> None:
    names = {NameGenerator().generate() for _ in range(2000)}
    for name in names:
        letter, number = re.fullmatch(r"([a-z]+)-(\d+)", name).groups()  # type: ignore[union-attr]
        assert letter in NameGenerator.letters
        assert 1 <= int(number) <= 24
    assert len(names) > 100
