"""The room's fixtures."""

from tests.unit.kubernetes.fixtures import pki, reads

__all__ = ["pki", "reads"]
