"""Short random names."""

import uuid

import pytest

from magnumlite.compat import short_id


def test_the_ids_of_two_uuids_are_magnums() -> None:
    """Recorded from magnum 23.0.0."""
    assert short_id.get_id("5123f8e9-a941-4f4b-97cb-38cb2401b73b") == "6s5jifish6hj"
    assert short_id.get_id(uuid.UUID("9d8f9bb9-6412-4194-8a6b-55e0d5111693")) == "dfdeckoy7g5z"


@pytest.mark.parametrize("source", ["3e780c86-ec22-11f1-aa50-02fc00000001", "x"])
def test_only_random_uuids_will_do(source: str) -> None:
    with pytest.raises(ValueError, match="UUID"):
        short_id.get_id(source)


def test_generated_ids_differ() -> None:
    ids = {short_id.generate_id() for _ in range(100)}
    assert len(ids) == 100
    assert {len(each) for each in ids} == {12}
