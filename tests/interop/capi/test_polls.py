"""B12: polls of the real driver and of its monitor leave nothing behind in the process."""

from collections.abc import Iterator

import psutil
import pytest

from magnumlite import objects
from tests.interop.capi.site import Site

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

CLUSTERS = 25
POLLS = 200


@pytest.fixture
def stuck(site: Site) -> Iterator[list[objects.Cluster]]:
    """Clusters in progress that never get ready."""
    template = site.template()
    clusters = [
        site.cluster(f"stuck {n}", template, stack_id=f"stuck-{n}") for n in range(CLUSTERS)
    ]
    for cluster in clusters:
        site.install(str(cluster.stack_id)).held = True
        cluster.status = "UPDATE_IN_PROGRESS"
        cluster.create()
    yield clusters
    for cluster in clusters:
        cluster.destroy()


def test_200_polls_leave_nothing(site: Site, stuck: list[objects.Cluster]) -> None:
    """The driver makes a client, and three files for it, for each poll of its monitor."""
    assert site.tree is not None
    process = psutil.Process(site.tree.process.pid)

    def peak(polls: int) -> tuple[int, int]:
        """Return the most descriptors and files there were during so many polls of each kind."""
        begun, descriptors, files = site.polls(), [], []

        def enough() -> bool:
            descriptors.append(process.num_fds())
            files.append(len(list(site.temporary.iterdir())))
            now = site.polls()
            return min(now.status - begun.status, now.health - begun.health) >= polls

        site.until(enough, f"{polls} polls")
        return max(descriptors), max(files)

    peak(POLLS // 2)  # every thread has its instance of the driver now
    before, after = peak(POLLS // 2), peak(POLLS)
    assert after[0] < before[0] + POLLS // 10
    assert after[1] < before[1] + POLLS // 10
