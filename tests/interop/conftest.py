"""The environment with magnum and real drivers, for every test that runs them."""

import pytest

from tests.interop.driver_environment import Environment, Unreachable


@pytest.fixture(scope="session")
def environment() -> Environment:
    """The environment, made when it is not there yet."""
    try:
        return Environment.ready()
    except Unreachable as reason:
        pytest.skip(str(reason))
