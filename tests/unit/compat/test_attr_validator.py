"""Checking images."""

from types import SimpleNamespace
from typing import Any

import pytest
from openstack import exceptions as sdk

from magnumlite import exception
from magnumlite.compat import attr_validator


def clients(result: Any) -> Any:
    """Return an OpenStackClients whose Glance gives or raises `result`."""

    def find_image(image: str, ignore_missing: bool) -> Any:
        assert (image, ignore_missing) == ("the-image", False)
        if isinstance(result, Exception):
            raise result
        return result

    return SimpleNamespace(glance=lambda: SimpleNamespace(find_image=find_image))


def test_an_image_with_a_distro_is_returned() -> None:
    image = SimpleNamespace(os_distro="ubuntu")
    assert attr_validator.validate_image(clients(image), "the-image") is image


@pytest.mark.parametrize(
    ("result", "error"),
    [
        (SimpleNamespace(os_distro=""), exception.OSDistroFieldNotFound),
        (sdk.NotFoundException("gone"), exception.ImageNotFound),
        (sdk.ForbiddenException("no"), exception.ImageNotAuthorized),
        (sdk.DuplicateResource("two"), exception.Conflict),
    ],
)
def test_others_are_refused(result: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="the-image"):
        attr_validator.validate_image(clients(result), "the-image")
