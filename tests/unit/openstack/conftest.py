"""A cloud that the options of the test point at."""

from collections.abc import Iterator

import pytest
from oslo_config import cfg

from magnumlite.openstack import sessions
from tests.servers.keystone import Keystone


@pytest.fixture
def cloud(conf: cfg.ConfigOpts) -> Iterator[Keystone]:
    """A Keystone whose user is in [keystone_auth]; no session of another test is left."""
    sessions.forget()
    with Keystone() as keystone:
        keystone.configure(conf)
        yield keystone
    sessions.forget()
