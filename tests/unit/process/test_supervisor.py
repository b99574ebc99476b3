"""How many workers."""

import os

import pytest
from oslo_config import cfg

from magnumlite.process import supervisor


@pytest.mark.parametrize(("asked", "workers"), [(3, 3), (1, 1)])
def test_as_asked(asked: int, workers: int, conf: cfg.ConfigOpts) -> None:
    conf.set_override("workers", asked, "conductor")
    assert supervisor.workers() == workers


@pytest.mark.parametrize("asked", [None, 0])
def test_one_a_cpu(asked: int | None, conf: cfg.ConfigOpts) -> None:
    # contract/options.json: unset or 0 is the number of CPUs.
    conf.set_override("workers", asked, "conductor")
    assert supervisor.workers() == len(os.sched_getaffinity(0))
