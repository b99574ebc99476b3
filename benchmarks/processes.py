"""What /proc tells of processes and of the machine."""

import collections
import contextlib
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PROC = Path("/proc")
TICK = os.sysconf("SC_CLK_TCK")

#: Seconds between two samples.
_SAMPLE = 0.25


class Process(NamedTuple):
    """A line of /proc/PID/stat; `cpu` is seconds, those of ended children included."""

    parent: int
    session: int
    cpu: float
    threads: int


class Usage(NamedTuple):
    """What some process trees use at a moment."""

    time: float
    cpu: float  # seconds
    processes: int
    threads: int
    descriptors: int


def all_processes() -> dict[int, Process]:
    """Return every process that is not a zombie, by pid."""
    found = {}
    for entry in PROC.iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError):
            field = (entry / "stat").read_text().rpartition(")")[2].split()
            if field[0] != "Z":
                found[int(entry.name)] = Process(
                    parent=int(field[1]),
                    session=int(field[3]),
                    cpu=sum(map(int, field[11:15])) / TICK,
                    threads=int(field[17]),
                )
    return found


def tree(*leaders: int) -> dict[int, Process]:
    """Return the leaders, their sessions, and all below them."""
    table = all_processes()
    members: set[int] = set()
    fresh = {pid for pid, one in table.items() if pid in leaders or one.session in leaders}
    while fresh:
        members |= fresh
        fresh = {pid for pid, one in table.items() if one.parent in members} - members
    return {pid: table[pid] for pid in members}


def usage(*leaders: int) -> Usage:
    """Return what the trees of the leaders use now."""
    found = tree(*leaders)
    return Usage(
        time.time(),
        sum(one.cpu for one in found.values()),
        len(found),
        sum(one.threads for one in found.values()),
        sum(_descriptors(pid) for pid in found),
    )


def _descriptors(pid: int) -> int:
    try:
        return len(os.listdir(PROC / str(pid) / "fd"))
    except OSError:
        return 0


def memory(*leaders: int) -> dict[str, float]:
    """Return PSS, USS and RSS of the trees of the leaders in MiB."""
    total: collections.Counter[str] = collections.Counter()
    for pid in tree(*leaders):
        with contextlib.suppress(OSError):
            for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines()[1:]:
                name, kib = line.split()[:2]
                total[name.rstrip(":")] += int(kib)
    return {
        "pss_mib": total["Pss"] / 1024,
        "uss_mib": (total["Private_Clean"] + total["Private_Dirty"]) / 1024,
        "rss_mib": total["Rss"] / 1024,
    }


def machine_cpu() -> tuple[float, float]:
    """Return the CPU seconds that the machine has been busy, and that were stolen from it."""
    with (PROC / "stat").open() as file:
        field = [int(text) / TICK for text in file.readline().split()[1:]]
    return sum(field[0:3]) + sum(field[5:7]), field[7]


class Sampler:
    """Takes the usage of a tree, four times a second, from its making until `stop`."""

    def __init__(self, *leaders: int) -> None:
        self.samples: list[Usage] = []
        self._leaders = leaders
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Take no more."""
        self._ended.set()
        self._thread.join()

    def between(self, begin: float, end: float) -> list[Usage]:
        """Return the samples of a stretch of time."""
        return [sample for sample in self.samples if begin <= sample.time <= end]

    def threads(self, begin: float = 0) -> list[tuple[float, int]]:
        """Return seconds since `begin` and threads, one pair a second or so: for a plot."""
        return [
            (round(one.time - begin, 1), one.threads) for one in self.samples[::4] if one.time > 0
        ]

    def _run(self) -> None:
        while not self._ended.wait(_SAMPLE):
            self.samples.append(usage(*self._leaders))


@contextlib.contextmanager
def sampled(*leaders: int) -> Iterator[Sampler]:
    """Sample inside the block."""
    sampler = Sampler(*leaders)
    try:
        yield sampler
    finally:
        sampler.stop()
