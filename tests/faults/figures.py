"""What became of every request: the figures of a scenario, and what must be nought in them."""

from __future__ import annotations

import collections
import dataclasses
import pathlib
import re
import time
from collections.abc import Collection, Iterable

import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite import exception
from magnumlite.db import engine, models, own_models
from tests.faults.caller import Sent
from tests.faults.fleet import Fleet, until
from tests.faults.scale import AMPLE

#: Seconds without any change after which what is not accepted never will be.
QUIET = 10.0

WELL = {"succeeded", "unchanged"}
FAILED = {"failed", "refused", "expired", "lost"}


@dataclasses.dataclass(frozen=True)
class Call:
    """A driver call, as the driver noted it; `end` is None when it never returned."""

    name: str
    pid: int
    cluster: str
    request: str
    start: float
    end: float | None


@dataclasses.dataclass
class Figures:
    """One line of a scenario."""

    sent: int = 0
    accepted: int = 0
    never_accepted: int = 0
    well: int = 0
    failed: int = 0
    superseded: int = 0
    vanished: list[str] = dataclasses.field(default_factory=list)
    stuck: list[str] = dataclasses.field(default_factory=list)
    twice: list[str] = dataclasses.field(default_factory=list)
    reasons: collections.Counter[str] = dataclasses.field(default_factory=collections.Counter)
    leaked_certificates: int = 0

    def __str__(self) -> str:
        return (
            f"sent {self.sent}, accepted {self.accepted}, ended well {self.well}, "
            f"ended failed with a reason {self.failed}, superseded {self.superseded}, "
            f"vanished {len(self.vanished)}, stuck {len(self.stuck)}, "
            f"entered twice {len(self.twice)}, never accepted {self.never_accepted}, "
            f"leaked certificates {self.leaked_certificates}"
        )

    def check(self) -> None:
        """Hold what every scenario holds."""
        assert not self.vanished, self.vanished
        assert not self.stuck, self.stuck
        assert not self.twice, self.twice


#: What a test has reported, for the summary of the run.
reported: list[str] = []


def report(scenario: str, figures: Figures, **more: object) -> None:
    """Keep the line of a scenario for the summary of the run; then check it."""
    line = f"{scenario}: {figures}" + "".join(f", {name} {value}" for name, value in more.items())
    reported.append(line)
    reported.extend(f"  {count} x {reason}" for reason, count in figures.reasons.most_common())
    figures.check()


def calls(directory: pathlib.Path, polls: bool = False) -> list[Call]:
    """Return the driver calls of all hosts in the order of their starts."""
    path = directory / "calls"
    if not path.exists():
        return []
    open_calls: dict[tuple[str, str, str], tuple[float, str]] = {}
    found: list[Call] = []
    for line in path.read_text().splitlines():
        edge, when, pid, cluster, request, name = line.split(" ", 5)
        key = (pid, cluster, request + name)
        if edge == "S":
            open_calls[key] = (float(when), name)
        elif key in open_calls:
            start, _ = open_calls.pop(key)
            found.append(Call(name, int(pid), cluster, request, start, float(when)))
    for (pid, cluster, rest), (start, name) in open_calls.items():
        request = rest.removesuffix(name)
        found.append(Call(name, int(pid), cluster, request, start, None))
    return sorted(
        (call for call in found if polls or call.name != "poll"), key=lambda call: call.start
    )


def entered_twice(made: Iterable[Call], fleet: Fleet, overtaken: set[str]) -> list[str]:
    """Return the clusters that were entered while another call was inside.

    A call that never returned ended with its process.  The calls of requests that were
    `overtaken` do not count: nobody can recall them.
    """
    inside: dict[str, list[Call]] = collections.defaultdict(list)
    found = []
    for call in made:
        for other in inside[call.cluster]:
            end = other.end if other.end is not None else fleet.ended_at(other.pid)
            ours = other.request == call.request  # a clean-up that was not waited for
            if end > call.start and not ours and other.request not in overtaken:
                found.append(f"{call} while {other}")
        inside[call.cluster].append(call)
    return found


def journal() -> list[own_models.Operation]:
    """Return the rows of the journal, oldest first."""
    with engine.reader() as session:
        rows = list(
            session.scalars(sa.select(own_models.Operation).order_by(own_models.Operation.id))
        )
        session.expunge_all()
        return rows


def unsettled(apart_from: Collection[str] = ()) -> list[str]:
    """Return what has not come to its end: operations, clusters, nodegroups, events.

    Without the nodegroups of clusters `apart_from` the others: their driver never ends them.
    """
    left = [
        f"{row.action} {row.uuid} of {row.cluster_uuid} by {row.process}: started {row.started_at}"
        f" entered {row.entered_at} released {row.released_at} finished {row.finished_at}"
        f" told {row.notified_at}"
        for row in journal()
        if row.finished_at is None or row.notified_at is None
    ]
    with engine.reader() as session:
        for cluster in session.scalars(sa.select(models.Cluster)):
            if str(cluster.status).endswith("_IN_PROGRESS"):
                left.append(f"cluster {cluster.uuid} is {cluster.status}")
        for group in session.scalars(sa.select(models.NodeGroup)):
            if str(group.status).endswith("_IN_PROGRESS") and group.cluster_id not in apart_from:
                left.append(f"nodegroup {group.uuid} of {group.cluster_id} is {group.status}")
    return left


def settle(
    sent: list[Sent],
    seconds: float = AMPLE,
    quiet: float = QUIET,
    apart_from: Collection[str] = (),
) -> list[str]:
    """Wait until everything has come to its end; return what has not.

    A request that nobody has accepted yet is waited for as long as others still are.
    """
    asked = {request.id for request in sent}
    accepted, since = -1, 0.0

    def done() -> bool:
        nonlocal accepted, since
        try:
            # In this order: what is accepted in between shows in what is left.
            found = len(asked & {row.request_id for row in journal()})
            left = unsettled(apart_from)
        except (db_exc.DBError, exception.MagnumException):
            return False
        if left or found != accepted:
            accepted, since = found, time.monotonic()
        return not left and (found == len(asked) or time.monotonic() - since > quiet)

    try:
        until(done, "end", seconds=seconds)
    except AssertionError:
        return unsettled(apart_from)
    return []


def of(
    sent: list[Sent], fleet: Fleet, *, stuck: list[str], overtaken: Iterable[str] = ()
) -> Figures:
    """Return the figures of what was sent, from the journal, the logs and the driver's notes."""
    figures = Figures(sent=len(sent), stuck=list(stuck))
    rows: dict[str, list[own_models.Operation]] = collections.defaultdict(list)
    for row in journal():
        rows[str(row.request_id)].append(row)
    made = calls(fleet.directory)
    told = set(re.findall(r"Accepted .*\[(req-[0-9a-f-]+)\]", fleet.text()))
    entered = {call.request for call in made}
    gave_way = set(overtaken)
    for request in sent:
        mine = rows.get(request.id, [])
        if not mine:
            if request.id in told | entered:
                figures.vanished.append(f"{request}: accepted, and not in the journal")
            else:
                figures.never_accepted += 1
            continue
        figures.accepted += 1
        # A message that came twice: what it did the first time counts.
        row = min(mine, key=lambda row: (row.outcome not in WELL, row.id))
        if row.outcome in WELL:
            figures.well += 1
        elif row.outcome == "superseded":
            figures.superseded += 1
            gave_way.add(request.id)
        elif row.outcome in FAILED and row.reason:
            figures.failed += 1
            figures.reasons[_kind(row)] += 1
        elif row.finished_at is not None:
            figures.vanished.append(f"{request}: ended {row.outcome}, reason {row.reason}")
    figures.twice = entered_twice(made, fleet, gave_way)
    figures.vanished += _inconsistent(rows)
    figures.leaked_certificates = leaked_certificates()
    return figures


def leaked_certificates() -> int:
    """Return how many stored certificates no cluster refers to."""
    with engine.reader() as session:
        known = set()
        for cluster in session.scalars(sa.select(models.Cluster)):
            known |= {
                cluster.ca_cert_ref,
                cluster.magnum_cert_ref,
                cluster.etcd_ca_cert_ref,
                cluster.front_proxy_ca_cert_ref,
            }
        stored = set(session.scalars(sa.select(models.X509KeyPair.uuid)))
    return len(stored - known)


def _inconsistent(rows: dict[str, list[own_models.Operation]]) -> list[str]:
    """Return rows that do not fit their journal: lost clusters and orphaned nodegroups."""
    with engine.reader() as session:
        clusters = set(session.scalars(sa.select(models.Cluster.uuid)))
        groups = list(
            session.execute(sa.select(models.NodeGroup.uuid, models.NodeGroup.cluster_id))
        )
    every = [row for mine in rows.values() for row in mine]
    deleted = {
        row.cluster_uuid for row in every if row.action == "delete" and row.outcome == "succeeded"
    }
    created = {row.cluster_uuid for row in every if row.action == "create"}
    lost = [f"cluster {uuid} is gone and was not deleted" for uuid in created - clusters - deleted]
    kept = [f"cluster {uuid} was deleted and is there" for uuid in deleted & clusters]
    orphans = [
        f"nodegroup {uuid} has no cluster" for uuid, owner in groups if owner not in clusters
    ]
    return [*lost, *kept, *orphans]


def _kind(row: own_models.Operation) -> str:
    """Return a reason without what differs from row to row."""
    return (
        f"{row.action} {row.outcome}: " + re.sub(r"[0-9a-f-]{8,}|:\d+", "…", str(row.reason))[:90]
    )
