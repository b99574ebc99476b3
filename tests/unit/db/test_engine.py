import datetime
import multiprocessing
import threading
import time

import pytest
import sqlalchemy as sa
from oslo_db import exception as db_exc

from magnumlite import exception
from magnumlite.db import engine, models


def _service(host):
    return models.MagnumService(host=host, binary="magnum-conductor")


def _hosts():
    with engine.reader() as session:
        return sorted(session.scalars(sa.select(models.MagnumService.host)))


def test_a_nested_writer_joins_the_outer_transaction(database):
    def write_twice_and_fail():
        with engine.writer() as session:
            session.add(_service("a"))
            with engine.writer() as inner:
                assert inner is session
                inner.add(_service("b"))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_twice_and_fail()
    assert _hosts() == []


def test_a_reader_inside_a_writer_sees_what_was_written(database):
    with engine.writer() as session:
        session.add(_service("a"))
        session.flush()
        with engine.reader() as inner:
            assert inner.scalars(sa.select(models.MagnumService.host)).all() == ["a"]
    assert _hosts() == ["a"]


def test_in_transaction_tells_where_it_is(database):
    assert not engine.in_transaction()
    with engine.reader():
        assert engine.in_transaction()
        with engine.reader():
            pass
        assert engine.in_transaction()
    assert not engine.in_transaction()


def test_other_threads_have_transactions_of_their_own(database):
    seen = []
    with engine.reader():
        thread = threading.Thread(target=lambda: seen.append(engine.in_transaction()))
        thread.start()
        thread.join()
    assert seen == [False]


def test_threads_write_one_after_another_and_ids_follow_commits(database):
    def write(host):
        for number in range(10):
            with engine.writer() as session:
                session.add(_service(f"{host}-{number}"))

    threads = [threading.Thread(target=write, args=(n,)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(_hosts()) == 60


def test_a_writer_has_its_place_in_the_line_from_its_first_statement(database):
    """The second writer cannot get an id before the first has committed."""
    first_began, second_asks = threading.Event(), threading.Event()
    order = []

    def second():
        first_began.wait()
        second_asks.set()
        with engine.writer() as session:
            session.execute(sa.select(models.MagnumService))
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with engine.writer() as session:
        session.execute(sa.select(models.MagnumService))
        first_began.set()
        second_asks.wait()
        time.sleep(0.05)
        order.append("first")
    thread.join()
    assert order == ["first", "second"]


def test_readers_do_not_wait_for_a_writer(database):
    with engine.writer() as session:
        session.add(_service("a"))
        session.flush()
        seen = []
        thread = threading.Thread(target=lambda: seen.append(_hosts()))
        thread.start()
        thread.join()
    assert seen == [[]]


def _write_elsewhere(url, failures):
    from magnumlite import conf

    try:
        conf.parse([], default_config_files=[])
        conf.CONF.set_override("connection", url, "database")
        engine.dispose()
        for number in range(20):
            with engine.writer() as session:
                session.add(_service(f"{multiprocessing.current_process().name}-{number}"))
    except Exception as error:
        failures.put(repr(error))


def test_processes_write_into_one_file(database):
    spawn = multiprocessing.get_context("spawn")
    failures = spawn.Queue()
    processes = [
        spawn.Process(target=_write_elsewhere, args=(database, failures)) for _ in range(2)
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert failures.empty()
    assert len(_hosts()) == 40


def test_dispose_reads_the_options_again(database, conf, tmp_path):
    with engine.writer() as session:
        session.add(_service("a"))
    conf.set_override("connection", f"sqlite:///{tmp_path / 'other.sqlite'}", "database")
    assert _hosts() == ["a"]
    engine.dispose()
    models.Base.metadata.create_all(engine.engine())
    assert _hosts() == []


def test_a_deadlock_is_tried_again(database):
    tries = []

    @engine.retried
    def work():
        tries.append(1)
        if len(tries) < 3:
            raise db_exc.DBDeadlock
        return "done"

    assert work() == "done"
    assert len(tries) == 3


def test_a_deadlock_inside_a_transaction_is_its_owners(database):
    tries = []

    @engine.retried
    def work():
        tries.append(1)
        raise db_exc.DBDeadlock

    with pytest.raises(db_exc.DBDeadlock), engine.writer():
        work()
    assert len(tries) == 1


def test_an_error_is_not_tried_again(database):
    tries = []

    @engine.retried
    def work():
        tries.append(1)
        raise db_exc.DBDuplicateEntry

    with pytest.raises(db_exc.DBDuplicateEntry):
        work()
    assert len(tries) == 1


def test_a_used_up_pool_is_told_in_words(database, monkeypatch):  # B30
    class Mode:
        @staticmethod
        def using(context):
            raise sa.exc.TimeoutError("QueuePool limit of size 5 overflow 5 reached")

    monkeypatch.setattr(engine.enginefacade, "reader", Mode)
    with (
        pytest.raises(exception.MagnumException, match=r"max_pool_size.*limit of size 5"),
        engine.reader(),
    ):
        pass
    assert not engine.in_transaction()


def _select(expression):
    with engine.reader() as session:
        return session.execute(sa.select(expression)).scalar_one()


def test_now_is_utc(database):
    before = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    now = _select(engine.now())
    after = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
    millisecond = datetime.timedelta(milliseconds=1)  # SQLite's clock has no finer steps
    assert before - millisecond <= now <= after + millisecond


@pytest.mark.parametrize("seconds", [0, 60, 0.25, -90])
def test_seconds_ago(database, seconds):
    with engine.reader() as session:
        now, then = session.execute(sa.select(engine.now(), engine.seconds_ago(seconds))).one()
    assert now - then == datetime.timedelta(seconds=seconds)


def test_stored_moments_compare_with_the_clock(database):
    with engine.writer() as session:
        session.add(_service("a"))
        session.flush()
        session.execute(sa.update(models.MagnumService).values(last_seen_up=engine.now()))
    stored = models.MagnumService.last_seen_up
    assert _select(stored <= engine.now())
    assert _select(stored > engine.seconds_ago(3600))
    assert not _select(stored > engine.seconds_ago(-3600))
    assert 0 <= _select(engine.elapsed(stored)) < 3600


def test_a_python_moment_compares_with_the_clock(database):
    past = datetime.datetime.now(datetime.UTC).replace(tzinfo=None) - datetime.timedelta(hours=1)
    with engine.writer() as session:
        session.add(models.MagnumService(host="a", binary="b", last_seen_up=past))
    assert _select(models.MagnumService.last_seen_up < engine.seconds_ago(1800))
    assert _select(models.MagnumService.last_seen_up > engine.seconds_ago(5400))
    assert 3599 < _select(engine.elapsed(models.MagnumService.last_seen_up)) < 5400


@pytest.fixture
def two_kept(database, monkeypatch):
    monkeypatch.setattr(engine, "_kept", threading.Semaphore(2))
    monkeypatch.setattr(engine, "OVERFLOW_AFTER", 0.05)


def test_transactions_wait_for_a_kept_connection(two_kept, monkeypatch):
    """A busy moment does not open connections of the overflow."""
    monkeypatch.setattr(engine, "OVERFLOW_AFTER", 60)
    inside, most = [], []

    def read():
        with engine.reader():
            inside.append(1)
            most.append(len(inside))
            time.sleep(0.01)
            inside.pop()

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(most) <= 2


def test_stuck_connections_do_not_stop_the_others(two_kept):
    with engine.reader():
        done = []

        def hold(release):
            with engine.reader():
                release.wait()

        release = threading.Event()
        stuck = threading.Thread(target=hold, args=(release,))
        stuck.start()
        try:
            for _ in range(3):
                thread = threading.Thread(target=lambda: done.append(_hosts()))
                thread.start()
                thread.join()
        finally:
            release.set()
            stuck.join()
    assert done == [[], [], []]


def test_a_kept_connection_is_given_back_after_an_error(two_kept, monkeypatch):
    monkeypatch.setattr(engine, "OVERFLOW_AFTER", 60)
    for _ in range(5):
        with pytest.raises(ZeroDivisionError), engine.reader():
            _ = 1 / 0
    assert engine._kept.acquire(blocking=False)
    assert engine._kept.acquire(blocking=False)
