"""What was seen: calls of the driver, steps of the tour, what was left over."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from magnumlite import exception
from magnumlite.conductor import errors
from magnumlite.sandbox.conformance.residue import Residue
from magnumlite.sandbox.conformance.rows import Change


class Phase(enum.StrEnum):
    """Why the driver was called."""

    OPERATION = "operation"  # by an operation of the conductor
    POLL = "poll"  # a status poll with all its consequences
    REPEAT = "repeat"  # another at once, though nothing can have happened
    REST = "rest"  # a poll of a cluster on which nothing is going on
    OVERTAKEN = "overtaken"  # a poll that may not write any more
    AGAIN = "again"  # the same operation, called once more
    CAPABILITY = "capability"  # monitor, scale manager
    CROWD = "crowd"  # beside others


@dataclass(frozen=True)
class Failure:
    """An error without its frames, which would keep objects alive."""

    kind: str
    text: str
    code: int | None
    kinds: frozenset[str]  # names of its classes
    gone: bool  # says that there is nothing left
    overtaken: bool  # says that another operation has the cluster
    ordinary: bool  # is an Exception, not a SystemExit or the like

    @classmethod
    def of(cls, error: BaseException) -> Failure:
        """Describe an error."""
        return cls(
            kind=type(error).__name__,
            text=errors.reason(error),
            code=errors.code(error),
            kinds=frozenset(base.__name__ for base in type(error).__mro__),
            gone=errors.gone(error),
            overtaken=isinstance(error, exception.ClaimLost),
            ordinary=isinstance(error, Exception),
        )

    @property
    def unsupported(self) -> bool:
        """Tell whether it says that the driver does not have the operation."""
        return bool(self.kinds & {"NotSupported", "NotImplementedError"})

    def __str__(self) -> str:
        return f"{self.kind}: {self.text}" if self.text != self.kind else self.kind


@dataclass(frozen=True)
class Save:
    """One save of the driver's own, through an object and in the thread of the call."""

    table: str  # cluster or nodegroup
    cluster_uuid: str
    values: dict[str, Any]
    refused: bool = False


@dataclass
class Call:
    """One call of the driver."""

    method: str
    phase: Phase
    step: str
    cluster_uuid: str
    thread: int
    instance: int  # id() of the driver's object
    seconds: float = 0.0
    error: Failure | None = None
    saves: list[Save] = field(default_factory=list)
    #: What differs in the database, by whatever way; empty in a crowd.
    changes: list[Change] = field(default_factory=list)
    #: Fields of the given cluster that were set and not saved.
    unsaved: dict[str, Any] = field(default_factory=dict)
    #: (object, field, before, after) of what the user owns, changed on a given object.
    trespasses: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    #: (object, field, value of the given object, value in the row) where the two differ.
    stale: list[tuple[str, str, Any, Any]] = field(default_factory=list)
    #: Fields whose list of addresses held None.
    nones: set[str] = field(default_factory=set)
    #: Names of the threads that it left running.
    threads: list[str] = field(default_factory=list)

    @property
    def own_changes(self) -> list[Change]:
        """What it changed of its own cluster."""
        return [change for change in self.changes if change.cluster_uuid == self.cluster_uuid]

    @property
    def is_poll(self) -> bool:
        """Tell whether it is a status poll."""
        return self.method == "update_cluster_status"


@dataclass(frozen=True)
class Sight:
    """What the database showed after a poll."""

    status: str
    nodegroups: dict[str, str]  # name to status
    reason: str = ""


@dataclass
class Step:
    """One operation of the tour."""

    name: str
    method: str = ""
    tried: bool = False
    before: Sight | None = None
    #: What was shown when the driver had accepted, and after each poll; None: gone.
    sights: list[Sight | None] = field(default_factory=list)
    polls: int = 0
    seconds: float = 0.0  # of the driver's call
    total: float = 0.0  # until the final state
    refusal: Failure | None = None  # what the request was answered by
    timed_out: bool = False
    hung: str = ""  # the method that did not return
    #: (what, asked for, found) where the rows do not show what was asked for.
    unfulfilled: list[tuple[str, Any, Any]] = field(default_factory=list)
    why_untried: str = ""

    @property
    def last(self) -> Sight | None:
        """What was shown at the end, None when the cluster was gone."""
        return self.sights[-1] if self.sights else self.before


@dataclass
class Probe:
    """Something asked of the driver beside the operations; `problems` are (what, advice)."""

    present: bool = False
    tried: bool = False
    problems: list[tuple[str, str]] = field(default_factory=list)
    remarks: list[tuple[str, str]] = field(default_factory=list)


@dataclass
class Record:
    """All that was seen of one driver."""

    driver: str
    class_name: str
    slow: float  # seconds that make a call long
    calls: list[Call] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    interface: Probe = field(default_factory=Probe)
    monitor: Probe = field(default_factory=Probe)
    scaling: Probe = field(default_factory=Probe)
    polls_itself: bool = True  # has an update_cluster_status of its own
    #: Of the process before and after the second life, and files left at the end.
    residue: tuple[Residue, Residue] | None = None
    left_rows: dict[str, int] = field(default_factory=dict)
    #: Kinds of the objects that were alive after the call they were given to: method to kinds.
    kept: dict[str, set[str]] = field(default_factory=dict)
    crowd: list[Step] = field(default_factory=list)
    crowd_stuck: int = 0  # threads that did not come back

    def of(self, *phases: Phase) -> Iterator[Call]:
        """Yield the calls of these phases, in order."""
        return (call for call in self.calls if call.phase in phases)
