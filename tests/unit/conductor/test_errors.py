"""What drivers' errors mean."""

from __future__ import annotations

import pytest
import requests

from magnumlite import exception
from magnumlite.conductor import errors


class HTTPNotFound(Exception):
    """As heatclient's."""


class StackGone(Exception):
    code = 404


class EndpointNotFound(Exception):
    """As keystoneauth's."""


class MissingImage(exception.ImageNotFound):
    """A driver's own."""


@pytest.mark.parametrize(
    "error",
    [
        HTTPNotFound(),
        StackGone(),
        exception.ClusterNotFound(cluster="c"),
        exception.NodeGroupNotFound(nodegroup="n"),
        exception.HTTPNotFound(),
    ],
)
def test_these_say_that_nothing_is_left(error: Exception) -> None:  # B15
    assert errors.gone(error)


@pytest.mark.parametrize(
    "error",
    [
        exception.FixedNetworkNotFound(network="n"),
        exception.ExternalNetworkNotFound(network="n"),
        exception.FixedSubnetNotFound(subnet="s"),
        exception.FlavorNotFound(flavor="f"),
        MissingImage(image_id="i"),
        EndpointNotFound(),
        FileNotFoundError(2, "No such file or directory", "helm"),
        RuntimeError("404"),
    ],
)
def test_these_do_not(error: Exception) -> None:
    """A network that is missing is no reason to forget nodes that are there."""
    assert not errors.gone(error)


def test_an_error_for_people_is_its_text() -> None:
    assert errors.reason(exception.NotSupported(operation="This")).startswith("This")
    assert errors.reason(requests.ConnectionError("refused")) == "refused"
    assert errors.reason(ValueError()) == "ValueError"


def test_an_error_in_a_driver_tells_where() -> None:
    """capi-helm says no more of an image that is gone."""

    def image_details(image: object) -> object:
        return image.id  # type: ignore[attr-defined]

    with pytest.raises(AttributeError) as caught:
        image_details(None)
    said = errors.reason(caught.value)
    assert said.startswith("AttributeError: 'NoneType' object has no attribute 'id' (in image_de")
    assert "test_errors.py line " in said
    assert errors.reason(KeyError("status")) == "KeyError: 'status'"
