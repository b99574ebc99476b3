"""How large the scenarios are: small enough for every change, or as large as was promised.

FAULTS=full runs the numbers that the scenarios are specified with; unset, a smaller run of the
same shape.
"""

import os

FULL = os.environ.get("FAULTS") == "full"


def sized(full: float, quick: float) -> float:
    """Return a number of the run that was asked for."""
    return full if FULL else quick


def count(full: int, quick: int) -> int:
    """Return a count of the run that was asked for."""
    return full if FULL else quick


#: Seconds that whatever must come to pass may take: no test is about speed.
AMPLE = sized(600, 300)
