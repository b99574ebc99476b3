"""What a stretch of time cost, and whom."""

import os
import time
from dataclasses import dataclass

from benchmarks import processes
from benchmarks.conductor import Conductor
from benchmarks.rig import Rig


@dataclass(frozen=True)
class _Reading:
    wall: float
    conductors: float
    broker: float
    database: float
    statements: int
    ours: float
    machine: float
    stolen: float


class Window:
    """A context manager; after it the attributes hold what happened inside.

    wall: seconds. cpu, broker_cpu, database_cpu: CPU seconds. statements: sent to the database.
    noise: what else the machine did, in percent of all its CPU: `others_pct` was used by nothing
    of this benchmark, `stolen_pct` was taken by the hypervisor.
    """

    def __init__(self, rig: Rig, *conductors: Conductor) -> None:
        self._rig = rig
        self._pids = [conductor.pid for conductor in conductors]

    def __enter__(self) -> "Window":
        self._begin = self._read()
        return self

    def __exit__(self, *exc: object) -> None:
        begin, end = self._begin, self._read()
        self.wall = end.wall - begin.wall
        self.cpu = end.conductors - begin.conductors
        self.broker_cpu = end.broker - begin.broker
        self.database_cpu = end.database - begin.database
        self.statements = end.statements - begin.statements
        share = 100 / ((os.cpu_count() or 1) * self.wall)
        others = (end.machine - begin.machine) - (end.ours - begin.ours)
        self.noise = {
            "others_pct": max(0.0, round(others * share, 2)),
            "stolen_pct": round((end.stolen - begin.stolen) * share, 2),
        }

    def _read(self) -> _Reading:
        machine, stolen = processes.machine_cpu()
        return _Reading(
            wall=time.time(),
            conductors=processes.usage(*self._pids).cpu,
            broker=processes.usage(self._rig.broker.pid).cpu,
            database=processes.usage(self._rig.database.pid).cpu,
            statements=self._rig.statements(),
            ours=processes.usage(os.getpid()).cpu,  # servers, loads and conductors are below it
            machine=machine,
            stolen=stolen,
        )
