"""What of this process is in use at a moment: descriptors, child processes, temporary files."""

from __future__ import annotations

import contextlib
import gc
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

_PROC = Path("/proc")


@dataclass(frozen=True)
class Residue:
    """Counted things; two of them are compared."""

    #: Descriptor to what it is of; empty where there is no /proc.
    descriptors: dict[int, str] = field(default_factory=dict)
    #: Process id to name.
    children: dict[int, str] = field(default_factory=dict)
    #: Identity of a thread to its name.
    threads: dict[int, str] = field(default_factory=dict)
    files: frozenset[str] = frozenset()

    @classmethod
    def take(cls, temporary: Path, ours: Path, threads: dict[int, str]) -> Residue:
        """Look, after collecting garbage.

        temporary: the directory that stands for /tmp. ours: what is open below it is not the
        driver's, unless it is below `temporary`. threads: those that calls of it have begun.
        """
        gc.collect()
        files = frozenset(
            str(path.relative_to(temporary)) for path in temporary.rglob("*") if path.is_file()
        )
        return cls(dict(_descriptors(temporary, ours)), dict(_children()), threads, files)

    def beyond(self, before: Residue) -> Residue:
        """Return what is here that was not there."""
        return Residue(
            dict(self.descriptors.items() - before.descriptors.items()),
            dict(self.children.items() - before.children.items()),
            dict(self.threads.items() - before.threads.items()),
            self.files - before.files,
        )


def _descriptors(temporary: Path, ours: Path) -> Iterator[tuple[int, str]]:
    directory = _PROC / "self" / "fd"
    if not directory.is_dir():
        return
    for name in os.listdir(directory):
        with contextlib.suppress(OSError):  # the one that lists them is gone
            target = os.readlink(directory / name)
            path = Path(target)
            if not path.is_relative_to(ours) or path.is_relative_to(temporary):
                yield int(name), target


def _children() -> Iterator[tuple[int, str]]:
    me = str(os.getpid())
    for directory in _PROC.glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # pid (name) state parent ...; the name may hold anything.
            head, _, rest = (directory / "stat").read_text().rpartition(")")
            if rest.split()[1] == me:
                yield int(directory.name), head.partition("(")[2]
