"""The benchmarks; importing this enlists all, in the order in which they run."""

from benchmarks.benches import starting  # isort: skip
from benchmarks.benches import reading  # isort: skip
from benchmarks.benches import creating  # isort: skip
from benchmarks.benches import status  # isort: skip
from benchmarks.benches import health  # isort: skip
from benchmarks.benches import fleet  # isort: skip
from benchmarks.benches import ending  # isort: skip

__all__ = ["creating", "ending", "fleet", "health", "reading", "starting", "status"]
