"""What /proc tells."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from benchmarks import processes

#: Two processes of two threads each, which have taken more CPU than a tick of the kernel's clock.
TWO = """
import os, threading, time
os.fork()
while time.process_time() < 0.1:
    pass
threading.Thread(target=time.sleep, args=(60,)).start()
print("up", flush=True)
time.sleep(60)
"""


@pytest.fixture
def child() -> Iterator[int]:
    started = subprocess.Popen(
        [sys.executable, "-c", TWO], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert started.stdout is not None
    for _ in range(2):
        assert started.stdout.readline() == "up\n"
    yield started.pid
    for pid in processes.tree(started.pid):
        os.kill(pid, 9)
    started.communicate()


def test_a_tree_is_the_leader_and_all_below_it(child: int) -> None:
    used = processes.usage(child)
    assert (used.processes, used.threads) == (2, 4)
    assert used.cpu > 0
    assert used.descriptors >= 6
    assert child in processes.tree(os.getpid())


def test_memory_that_is_shared_counts_once(child: int) -> None:
    told = processes.memory(child)
    assert 0 < told["uss_mib"] < told["pss_mib"] < told["rss_mib"]


def test_a_sampler_keeps_what_it_saw(child: int) -> None:
    with processes.sampled(child) as sampler:
        while not sampler.samples:
            pass
    assert sampler.samples[0].processes == 2
    assert processes.usage(child).time >= sampler.samples[-1].time
