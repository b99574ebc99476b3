"""Checks of what a request names in the cloud; stands for magnum.api.attr_validator."""

from typing import Any

from magnumlite import exception


def validate_image(cli: Any, image: str) -> Any:
    """Return the Glance image with that name or id; `cli` is an OpenStackClients.

    Raises:
        ImageNotFound, Conflict (several have the name), ImageNotAuthorized,
        OSDistroFieldNotFound (the image has no os_distro).
    """
    # openstacksdk is an extra; who has a `cli` has it.
    from openstack import exceptions as sdk

    try:
        found = cli.glance().find_image(image, ignore_missing=False)
    except sdk.DuplicateResource as error:
        raise exception.Conflict(f"Multiple images exist with the name {image}") from error
    except sdk.NotFoundException as error:
        raise exception.ImageNotFound(image_id=image) from error
    except sdk.ForbiddenException as error:
        raise exception.ImageNotAuthorized(image_id=image) from error
    if not found.os_distro:
        raise exception.OSDistroFieldNotFound(image_id=image)
    return found
