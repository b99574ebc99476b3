"""SIGKILL: processes die at any moment, and every accepted operation still ends."""

import random
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from magnumlite import exception
from tests.faults import figures, scale
from tests.faults.caller import Caller
from tests.faults.conftest import StartFleet

CREATE = {"alone": True, "sleep": 0.5}
CALL = {"alone": True, "sleep": 1}
SCRIPT = {
    "create": CREATE,
    "update": CALL,
    "resize": CALL,
    "nodegroup_create": CALL,
    "nodegroup_update": CALL,
    "nodegroup_delete": CALL,
    "delete": CALL,
}


@pytest.mark.timeout(1200)
def test_killed_processes_lose_nothing_accepted(start_fleet: StartFleet, caller: Caller) -> None:
    """A random process of three hosts is killed every 2 s while mixed casts come in."""
    chance = random.Random(4)
    fleet = start_fleet("alpha", "beta", "gamma")
    clusters = [caller.create(**SCRIPT) for _ in range(scale.count(40, 12))]
    assert not figures.settle(caller.sent)
    casts = scale.count(200, 60)
    seconds = scale.sized(60, 24)
    ask = _Asking(caller, clusters, chance)
    asking = threading.Thread(target=ask.all, args=(casts, seconds / casts))
    kills = []
    with fleet.reviving():
        asking.start()
        ends = time.monotonic() + seconds
        while time.monotonic() < ends:
            victim = fleet.kill_one(chance)
            if victim is not None:
                kills.append(f"{victim.host} {victim.kind}")
            time.sleep(2)
        asking.join()
        stuck = figures.settle(caller.sent)
    result = figures.of(caller.sent, fleet, stuck=stuck)
    figures.report(
        "random kills",
        result,
        kills=len(kills),
        of_workers=sum("worker" in kill for kill in kills),
    )
    assert result.accepted + result.never_accepted == result.sent
    # Messages in hand when a process died: it had acknowledged them and not yet accepted.
    assert result.never_accepted <= 4 * len(kills)
    # What ran, waited or was in hand when a process died; the rest ended well.
    assert all(
        "ended before the operation did" in reason or "refused" in reason
        for reason in result.reasons
    ), result.reasons


class _Asking:
    """Mixed casts on the clusters: each kind about as often as people ask for it."""

    def __init__(self, caller: Caller, clusters: list[str], chance: random.Random) -> None:
        self._caller = caller
        self._clusters = list(clusters)
        self._chance = chance
        self._nodegroups: dict[str, list[Any]] = {uuid: [] for uuid in clusters}
        self._number = 0

    def all(self, casts: int, pause: float) -> None:
        """Send so many casts."""
        kinds: list[Callable[[str], None]] = [self._resize] * 3 + [self._create_nodegroup] * 3
        kinds += [self._update, self._delete_nodegroup, self._update_nodegroup, self._delete]
        sent = 0
        while sent < casts:
            cluster = self._chance.choice(self._clusters)
            before = len(self._caller.sent)
            try:
                self._chance.choice(kinds)(cluster)
            except (exception.ClusterNotFound, exception.NodeGroupNotFound):
                # As for magnum-api: what is not there is not asked for.
                continue
            if len(self._caller.sent) > before:
                sent += 1
                time.sleep(pause)

    def _resize(self, cluster: str) -> None:
        self._caller.resize(cluster, self._chance.randint(1, 9))

    def _update(self, cluster: str) -> None:
        self._caller.update(cluster, self._chance.randint(1, 9))

    def _create_nodegroup(self, cluster: str) -> None:
        self._number += 1
        nodegroup = self._caller.nodegroup_create(cluster, f"ng{self._number}")
        self._nodegroups[cluster].append(nodegroup)

    def _update_nodegroup(self, cluster: str) -> None:
        for nodegroup in self._nodegroups[cluster][:1]:
            self._caller.nodegroup_update(cluster, nodegroup, 20)

    def _delete_nodegroup(self, cluster: str) -> None:
        for nodegroup in self._nodegroups[cluster][:1]:
            self._nodegroups[cluster].remove(nodegroup)
            self._caller.nodegroup_delete(cluster, nodegroup)

    def _delete(self, cluster: str) -> None:
        if len(self._clusters) > 4:
            self._clusters.remove(cluster)
            self._caller.delete(cluster)
