"""The machine that figures were measured on; neither its name nor its paths."""

import os
import platform
from importlib import metadata
from pathlib import Path


def describe() -> dict[str, str | int]:
    """Return what somebody needs who compares figures."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        "cores": len(os.sched_getaffinity(0)),
        "processor": _processor(),
        "memory_gib": round(memory / 2**30),
        "kernel": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        **{name: metadata.version(name) for name in ("oslo.messaging", "oslo.db", "SQLAlchemy")},
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.partition(":")[2].strip()
    return platform.machine()
