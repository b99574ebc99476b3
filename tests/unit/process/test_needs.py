"""What a start waits for, and what it does not."""

import socket
from collections.abc import Iterator

import pytest
from oslo_config import cfg

from magnumlite import exception
from magnumlite.process import needs


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


@pytest.fixture
def naps(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr(needs.time, "sleep", taken.append)
    return taken


def test_all_is_there(
    database: str, conf: cfg.ConfigOpts, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    from magnumlite.db import schema

    schema.stamp()
    conf.set_override("transport_url", f"rabbit://u:geheim@127.0.0.1:{port}/")
    assert needs.check() == 0
    assert "cannot be reached" not in caplog.text
    assert schema.check() == []


def test_a_schema_that_is_not_ours(
    conf: cfg.ConfigOpts, tmp_path: object, caplog: pytest.LogCaptureFixture
) -> None:
    from magnumlite.db import engine

    conf.set_override("connection", f"sqlite:///{tmp_path}/empty.sqlite", "database")
    engine.dispose()
    try:
        assert needs.check() == 1
    finally:
        engine.dispose()
    assert caplog.text.count("Cannot start: ") == 1
    assert "magnumlite-db-manage upgrade" in caplog.text


def test_one_answering_broker_of_several_is_enough(conf: cfg.ConfigOpts, port: int) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        dead = closed.getsockname()[1]
    conf.set_override("transport_url", f"rabbit://u:p@127.0.0.1:{dead},u:p@127.0.0.1:{port}/")
    needs._await_broker()


def test_a_transport_without_an_address_is_not_waited_for(conf: cfg.ConfigOpts) -> None:
    conf.set_override("transport_url", "fake://")
    needs._await_broker()
    assert needs.broker_address() == "fake://-/"


def test_the_same_failure_is_told_at_a_sane_rate(
    naps: list[float], monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(needs.time, "monotonic", lambda: 1000 + sum(naps))
    caplog.set_level("INFO")
    failures = 40

    def attempt() -> None:
        if len(naps) < failures:
            raise OSError("Connection refused")

    needs._until("The broker", "here", attempt, (OSError,))
    assert len(naps) == failures
    told = [message for message in caplog.messages if "cannot be reached" in message]
    assert told == ["The broker at here cannot be reached, trying again: Connection refused"] * 3
    assert caplog.messages[-1] == "The broker at here answers now"


def test_another_failure_is_told_at_once(
    naps: list[float], caplog: pytest.LogCaptureFixture
) -> None:
    texts = iter(["one", "one", "two"])

    def attempt() -> None:
        for text in texts:
            raise OSError(text)

    needs._until("The broker", "here", attempt, (OSError,))
    assert [message.rpartition(" ")[2] for message in caplog.messages[:2]] == ["one", "two"]


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("rabbit://u:geheim@a:1234,u:geheim@b/v", "rabbit://a:1234,b:5672/v"),
        ("rabbit://u:geheim@[2001:db8::1]:5671/", "rabbit://[2001:db8::1]:5671/"),
        ("rabbit://", "rabbit://localhost:5672/"),
        ("kafka://a:9092/", "kafka://-/"),
    ],
)
def test_broker_addresses_have_no_password(url: str, address: str, conf: cfg.ConfigOpts) -> None:
    conf.set_override("transport_url", url)
    assert needs.broker_address() == address


def test_database_addresses_have_no_password(conf: cfg.ConfigOpts) -> None:
    conf.set_override("connection", "mysql+pymysql://m:geheim@db/magnum", "database")
    assert needs.database_address() == "mysql+pymysql://m:***@db/magnum"


@pytest.mark.parametrize(
    ("option", "group", "value"),
    [
        ("transport_url", None, "rabbit://magnum:ge/heim@host/"),
        ("transport_url", None, "geheim"),
        ("connection", "database", "geheim"),
        ("connection", "database", "geheim://magnum@host"),
    ],
)
def test_bad_urls_name_the_option(
    option: str, group: str | None, value: str, conf: cfg.ConfigOpts
) -> None:
    conf.set_override(option, value, group)
    with pytest.raises(exception.ConfigInvalid, match=rf"\[{group or 'DEFAULT'}\]{option}"):
        (needs.database_address if group else needs.broker_address)()
