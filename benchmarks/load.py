"""Load from processes of its own, so that measuring and loading do not share an interpreter."""

import itertools
import multiprocessing
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Any

from benchmarks.wire import Client, Request

_spawn = multiprocessing.get_context("spawn")


@dataclass(frozen=True)
class Calls:
    """Calls that a client makes; each takes a random one of `requests`.

    `under_way`: so many at any time; else one each `interval` seconds. `patience`: seconds to
    wait for replies at the end.
    """

    requests: list[Request]
    seconds: float
    under_way: int = 0
    interval: float = 0
    patience: float = 30


@dataclass(frozen=True)
class Casts:
    """Requests that a client sends at once."""

    requests: list[Request] = field(default_factory=list)


@dataclass(frozen=True)
class Done:
    """What a client did: when (time.time()), the calls' latencies in seconds, its own CPU."""

    begin: float
    end: float
    latencies: list[float]
    errors: int
    cpu: float


class Load:
    """A client process that is ready to work."""

    def __init__(self, port: int, vhost: str, job: Calls | Casts) -> None:
        self._pipe, theirs = _spawn.Pipe()
        self._process = _spawn.Process(target=_serve, args=(theirs, port, vhost, job), daemon=True)
        self._process.start()
        theirs.close()
        self._pipe.recv()

    def begin(self) -> None:
        """Have it work now."""
        self._pipe.send("begin")

    def result(self) -> Done:
        """Wait for its end.

        Raises: EOFError when it failed; it has told why on standard error.
        """
        done: Done = self._pipe.recv()
        self._process.join()
        return done

    def run(self) -> Done:
        """Have it work, and wait."""
        self.begin()
        return self.result()


def _serve(pipe: Connection, port: int, vhost: str, job: Calls | Casts) -> None:
    with Client(port, vhost) as client:
        pipe.send("ready")
        pipe.recv()
        begin, cpu = time.time(), time.process_time()
        latencies, errors = _work(client, job)
        pipe.send(Done(begin, time.time(), latencies, errors, time.process_time() - cpu))


def _work(client: Client, job: Calls | Casts) -> tuple[list[float], int]:
    if isinstance(job, Casts):
        for request in job.requests:
            client.cast(request)
        return [], 0
    if job.under_way:
        return client.keep_under_way(_any_of(job.requests), job.under_way, job.seconds)
    return client.every(job.interval, _any_of(job.requests), job.seconds, job.patience)


def _any_of(requests: list[Any]) -> Iterator[Any]:
    return (random.choice(requests) for _ in itertools.count())
