"""The servers that other tests rely on keep their promises."""

import os

import amqp
import pytest
import sqlalchemy

from tests.servers.daemon import Daemon, answers
from tests.servers.mariadb import MariaDB
from tests.servers.postgresql import PostgreSQL
from tests.servers.rabbitmq import RabbitMQ


def _vhost(url: str) -> str:
    return url.rpartition("/")[2]


def _publish(server: RabbitMQ, vhost: str, queue: str) -> None:

    with server.connection(vhost) as connection:
        channel = connection.channel()
        channel.queue_declare(queue, durable=True, auto_delete=False)
        channel.confirm_select()
        channel.basic_publish_confirm(amqp.Message("hello", delivery_mode=2), routing_key=queue)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_durable_message_survives_a_restart_of_rabbitmq(
    rabbit_server: RabbitMQ, rabbit_vhost: str, end: str
) -> None:
    vhost = _vhost(rabbit_vhost)
    _publish(rabbit_server, vhost, "kept")
    rabbit_server.flush()
    port = rabbit_server.port

    getattr(rabbit_server, end)()
    assert not answers(port)
    rabbit_server.start()

    assert rabbit_server.port == port
    queue = rabbit_server.queue(vhost, "kept")
    assert queue is not None
    assert queue.messages == 1


def test_rabbitmq_tells_its_queues_and_cuts_connections(
    rabbit_server: RabbitMQ, rabbit_vhost: str
) -> None:
    vhost = _vhost(rabbit_vhost)
    assert rabbit_server.queue(vhost, "none") is None
    with rabbit_server.connection(vhost) as connection:
        channel = connection.channel()
        channel.queue_declare("work")
        channel.basic_consume("work")
        queue = rabbit_server.queue(vhost, "work")
        assert queue is not None
        assert queue.consumers == 1
        assert rabbit_server.queues(vhost) == {"work"}
        assert rabbit_server.consumer_pids(vhost, "work") == [os.getpid()]
        rabbit_server.close_connections(vhost)
        with pytest.raises((OSError, amqp.ConnectionError), match=r"cut by a test|closed|reset"):
            connection.drain_events(timeout=10)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_committed_row_survives_a_restart_of_mariadb(
    mariadb_server: MariaDB, mariadb_database: str, end: str
) -> None:
    _row_survives(mariadb_server, mariadb_database, end)


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_committed_row_survives_a_restart_of_postgresql(
    postgresql_server: PostgreSQL, postgresql_database: str, end: str
) -> None:
    _row_survives(postgresql_server, postgresql_database, end)


def _row_survives(server: Daemon, url: str, end: str) -> None:
    engine = sqlalchemy.create_engine(url, poolclass=sqlalchemy.NullPool)
    with engine.begin() as connection:
        connection.execute(sqlalchemy.text("CREATE TABLE kept (id INTEGER)"))
        connection.execute(sqlalchemy.text("INSERT INTO kept VALUES (7)"))

    getattr(server, end)()
    with pytest.raises(sqlalchemy.exc.OperationalError):
        engine.connect()
    server.start()

    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT id FROM kept")) == 7


def test_frozen_server_takes_connections_and_says_nothing(
    mariadb_server: MariaDB, mariadb_database: str
) -> None:
    engine = sqlalchemy.create_engine(
        mariadb_database, poolclass=sqlalchemy.NullPool, connect_args={"read_timeout": 1}
    )
    mariadb_server.freeze()
    try:
        assert answers(mariadb_server.port)
        with pytest.raises(sqlalchemy.exc.OperationalError):
            engine.connect()
    finally:
        mariadb_server.thaw()
    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT 1")) == 1


def test_database_clock_is_not_utc(mariadb_server: MariaDB, postgresql_server: PostgreSQL) -> None:
    assert mariadb_server.execute("SELECT TIMEDIFF(NOW(), UTC_TIMESTAMP()) > '05:00'") == ((1,),)
    assert postgresql_server.execute("SHOW timezone") == [("Asia/Kolkata",)]
