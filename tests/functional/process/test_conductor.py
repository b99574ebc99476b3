"""magnumlite-conductor on RabbitMQ: who consumes, and what becomes of work that runs."""

import os
import signal

import psutil

from tests.functional.process.conftest import TOPIC, Site
from tests.servers.daemon import free_port
from tests.servers.rabbitmq import RabbitMQ

READY = "3 of 3 RPC workers consume"


def test_each_worker_consumes_and_the_parent_does_not(site: Site, rabbit_server: RabbitMQ) -> None:
    # B04: magnum's workers are idle, its parent does all the RPC.
    with site.conductor() as tree:
        tree.wait_for(READY)
        assert rabbit_server.consumer_pids(site.vhost, TOPIC) == tree.workers()
        # No queue has a name of chance: nothing is left behind at each start.
        names = rabbit_server.queues(site.vhost)
        assert {f"{TOPIC}.alpha.{index}" for index in range(3)} <= names
        site.create(12, call_delay=0)
        tree.until(
            lambda: len([row for row in site.operations() if row.released_at]) == 12, "12 creates"
        )
        pids = {int(str(row.process).split(":")[1]) for row in site.operations()}
        assert pids <= set(tree.workers())
        assert len(pids) > 1


def test_term_lets_driver_calls_finish(site: Site, rabbit_server: RabbitMQ) -> None:
    # B05
    with site.conductor() as tree:
        tree.wait_for(READY)
        site.create(6, call_delay=4)
        tree.until(site.running(6), "6 driver calls")
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert tree.left() == []
    operations = site.operations()
    assert len(operations) == 6
    assert all(row.released_at for row in operations)
    assert {row.outcome for row in operations} <= {None, "success"}
    queue = rabbit_server.queue(site.vhost, TOPIC)
    assert queue is not None
    assert queue == (0, 0)


def test_a_killed_worker_hurts_no_other(site: Site, rabbit_server: RabbitMQ) -> None:
    with site.conductor() as tree:
        tree.wait_for(READY)
        site.create(6, call_delay=6)
        tree.until(site.running(6), "6 driver calls")
        busy = {int(str(row.process).split(":")[1]) for row in site.operations()}
        victim = min(busy)
        os.kill(victim, signal.SIGKILL)
        tree.until(
            lambda: len(tree.workers()) == 3 and victim not in tree.workers(), "a new worker"
        )
        tree.wait_for("has started", times=4)
        tree.until(
            lambda: rabbit_server.consumer_pids(site.vhost, TOPIC) == tree.workers(),
            "a consumer in the new worker",
        )

        def others_returned() -> bool:
            others = [row for row in site.operations() if f":{victim}:" not in str(row.process)]
            return all(row.released_at for row in others)

        tree.until(others_returned, "end of the other driver calls")


def test_hup_cuts_nothing(site: Site) -> None:
    with site.conductor() as tree:
        tree.wait_for(READY)
        before = tree.workers()
        site.create(3, call_delay=4)
        tree.until(site.running(3), "3 driver calls")
        tree.configure({**site.options, "debug": "true"})
        tree.send(signal.SIGHUP)
        tree.wait_for("Option DEFAULT.debug changed", times=5)
        tree.until(lambda: all(row.released_at for row in site.operations()), "3 creates")
        assert tree.workers() == before
        assert " DEBUG " in tree.text()


def test_a_broker_that_is_down_at_start_is_waited_for(site: Site, rabbit_server: RabbitMQ) -> None:
    rabbit_server.stop()
    try:
        with site.conductor() as tree:
            tree.wait_for("The message broker at rabbit://127.0.0.1:")
            assert "guest" not in tree.text()
            rabbit_server.start()
            tree.wait_for(READY)
            tree.send(signal.SIGTERM)
            assert tree.wait() == 0
            assert "Traceback" not in tree.text()
    finally:
        rabbit_server.start()


def test_term_while_the_broker_is_down(site: Site) -> None:
    nowhere = f"rabbit://guest:guest@127.0.0.1:{free_port()}/"
    with site.conductor(transport_url=nowhere) as tree:
        tree.wait_for("The message broker at rabbit://127.0.0.1:")
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert tree.left() == []


def test_term_after_the_broker_went_away(site: Site, rabbit_server: RabbitMQ) -> None:
    with site.conductor() as tree:
        tree.wait_for(READY)
        tree.look()
        rabbit_server.stop()
        try:
            tree.wait_for("is unreachable")
            tree.send(signal.SIGTERM)
            assert tree.wait() == 0
            assert tree.left() == []
        finally:
            rabbit_server.start()


def test_a_killed_parent_takes_all_down(site: Site) -> None:
    with site.conductor() as tree:
        tree.wait_for(READY)
        tree.look()
        tree.process.kill()
        tree.process.wait()
        assert tree.left() == []


def test_the_parent_speaks_to_the_broker_only_for_events(
    site: Site, rabbit_server: RabbitMQ
) -> None:
    with site.conductor() as tree:
        tree.wait_for(READY)
        above = tree.supervisor()
        assert not above.net_connections()
        assert all(
            connection.raddr.port != rabbit_server.port
            for connection in psutil.Process(tree.process.pid).net_connections()
            if connection.raddr
        )


def test_an_empty_database_ends_the_start(site: Site) -> None:
    with site.conductor(database__connection=f"sqlite:///{site.directory}/empty") as tree:
        assert tree.wait() == 1
        assert tree.text().count("Cannot start: ") == 1
        assert "run: magnumlite-db-manage upgrade" in tree.text()
        assert "Traceback" not in tree.text()


def test_a_database_that_is_away_is_waited_for(site: Site) -> None:
    away = f"mysql+pymysql://magnum:geheim@127.0.0.1:{free_port()}/magnum"
    with site.conductor(database__connection=away) as tree:
        tree.wait_for("The database at mysql+pymysql://magnum:***@127.0.0.1:")
        assert "geheim" not in tree.text()
        tree.look()
        tree.send(signal.SIGTERM)
        assert tree.wait() == 0
        assert tree.left() == []


def test_a_bad_value_is_one_line(site: Site) -> None:
    with site.conductor(conductor__workers="many") as tree:
        assert tree.wait() == 1
        assert "[conductor]workers in " in tree.text()
        assert "Traceback" not in tree.text()


def test_a_bad_url_shows_no_part_of_it(site: Site) -> None:
    with site.conductor(transport_url="rabbit://magnum:ge/heim@127.0.0.1/") as tree:
        assert tree.wait() == 1
        assert "[DEFAULT]transport_url is not a URL" in tree.text()
        assert "'ge'" not in tree.text()
        assert "Traceback" not in tree.text()
