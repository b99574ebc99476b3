"""Files that exist in memory only, for libraries that take nothing but a path."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator


@contextlib.contextmanager
def memfile(content: bytes) -> Iterator[str]:
    """Give the path of a file with `content` that never touches the disk; gone after the block."""
    handle = os.memfd_create("magnumlite", os.MFD_CLOEXEC)
    try:
        with open(handle, "wb", closefd=False) as file:
            file.write(content)
        yield f"/proc/self/fd/{handle}"
    finally:
        os.close(handle)
