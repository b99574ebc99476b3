"""magnum alone in an environment, and deployments of it."""

import contextlib
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interop.driver_environment import Unreachable
from tests.interop.peers.cloud import Cloud
from tests.interop.peers.deployment import Deployment, Process, User
from tests.interop.peers.environment import PeerEnvironment
from tests.servers.mariadb import MariaDB
from tests.servers.rabbitmq import RabbitMQ


@pytest.fixture(scope="session")
def peer() -> PeerEnvironment:
    """The environment with magnum alone, made when it is not there yet."""
    try:
        return PeerEnvironment.ready()
    except Unreachable as reason:
        pytest.skip(str(reason))


@pytest.fixture(scope="session")
def cloud() -> Iterator[Cloud]:
    """The rest of OpenStack."""
    with Cloud() as made:
        yield made


@contextlib.contextmanager
def deployed(
    directory: Path,
    peer: PeerEnvironment,
    cloud: Cloud,
    rabbit: RabbitMQ,
    mariadb: MariaDB,
) -> Iterator[Deployment]:
    """A database that magnum has made, and a virtual host; no processes yet."""
    rabbit.start()
    mariadb.start()
    name = f"interop_{uuid.uuid4().hex[:8]}"
    rabbit.create_vhost(name)
    mariadb.create_database(name)

    def consumers() -> int:
        queue = rabbit.queue(name, "magnum-conductor")
        return queue.consumers if queue else 0

    directory.mkdir(exist_ok=True)
    broker, database = rabbit.vhost_url(name), mariadb.database_url(name)
    made = Deployment(directory, peer, cloud, broker, database, consumers)
    made.make_database()
    yield made
    rabbit.delete_vhost(name)
    mariadb.drop_database(name)


@pytest.fixture(scope="session")
def deployment(
    tmp_path_factory: pytest.TempPathFactory,
    peer: PeerEnvironment,
    cloud: Cloud,
    rabbit_server: RabbitMQ,
    mariadb_server: MariaDB,
) -> Iterator[Deployment]:
    """The deployment with our conductor that most tests share."""
    directory = tmp_path_factory.mktemp("deployment")
    with deployed(directory, peer, cloud, rabbit_server, mariadb_server) as made:
        conductor = made.our_conductor()
        conductor.start()
        yield made
        conductor.stop()


@pytest.fixture(scope="session", params=["rpc", "wsgi"])
def api(request: pytest.FixtureRequest, deployment: Deployment) -> Iterator[Process]:
    """A magnum-api whose database access goes through the conductor, and one that has its own."""
    process = deployment.api(request.param)
    process.start()
    deployment.cloud.magnum = process.url
    yield process
    process.stop()


@pytest.fixture(scope="session")
def demo(deployment: Deployment, api: Process) -> User:
    return User(deployment.cloud, api.url, "demo")


@pytest.fixture(scope="session")
def admin(deployment: Deployment, api: Process) -> User:
    return User(deployment.cloud, api.url, "admin")


@pytest.fixture(scope="session")
def other(deployment: Deployment, api: Process) -> User:
    return User(deployment.cloud, api.url, "other", "other")


@pytest.fixture(scope="session")
def template(demo: User) -> Any:
    return demo.template("shared")


@pytest.fixture(scope="session")
def cluster(demo: User, template: Any) -> str:
    """A cluster that tests leave as it is."""
    uuid = demo.create("kept", template)
    demo.wait(uuid, "CREATE_COMPLETE")
    return uuid


@pytest.fixture
def site(
    tmp_path: Path,
    peer: PeerEnvironment,
    cloud: Cloud,
    rabbit_server: RabbitMQ,
    mariadb_server: MariaDB,
) -> Iterator[Deployment]:
    """A deployment of a test's own."""
    with deployed(tmp_path / "site", peer, cloud, rabbit_server, mariadb_server) as made:
        yield made


@pytest.fixture
def user(site: Deployment) -> Iterator[User]:
    """A user of it, at an API that needs no conductor to read."""
    process = site.api("wsgi")
    process.start()
    site.cloud.magnum = process.url
    yield User(site.cloud, process.url, "demo")
    process.stop()
