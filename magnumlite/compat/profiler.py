"""Tracing hooks that do nothing, as magnum's do without osprofiler.

Stands for magnum.common.profiler.
"""

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=type)


def setup(binary: str, host: str) -> None:
    """Do nothing: magnumlite sends no traces."""


def trace_cls(name: str, **kwargs: Any) -> Callable[[C], C]:
    """Return a class decorator that gives the class back as it is."""
    return lambda cls: cls
