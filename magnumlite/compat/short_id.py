"""Short random names; stands for magnum.common.short_id."""

import base64
import uuid


def get_id(source_uuid: str | uuid.UUID) -> str:
    """Return the 60 random bits of a version 4 UUID's time fields as 12 base32 characters.

    Raises:
        ValueError: not a UUID, or of another version.
    """
    source = source_uuid if isinstance(source_uuid, uuid.UUID) else uuid.UUID(source_uuid)
    if source.version != 4:
        raise ValueError(f"Invalid UUID version ({source.version})")
    return base64.b32encode((source.time << 4).to_bytes(8, "big"))[:12].decode("ascii").lower()


def generate_id() -> str:
    """Return 12 random lower-case base32 characters."""
    return get_id(uuid.uuid4())
