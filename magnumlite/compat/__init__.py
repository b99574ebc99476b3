"""The name `magnum`, so that driver packages written for Magnum load unmodified (DESIGN section 6).

Real drivers `import magnum.*`. install() puts a finder in front of sys.meta_path that gives them
magnumlite's own module objects. Only magnumlite's commands call it, and tests.
"""

from magnumlite.compat.finder import install
from magnumlite.compat.table import TABLE

__all__ = ["TABLE", "install"]
