"""SIGHUP: options in place."""

import pathlib
from collections.abc import Callable, Iterator

import pytest
from oslo_config import cfg

from magnumlite import conf as options
from magnumlite.process import reload

Write = Callable[[str], None]


@pytest.fixture
def write(tmp_path: pathlib.Path) -> Iterator[Write]:
    file = tmp_path / "magnum.conf"

    def written(text: str) -> None:
        file.write_text(text)

    written("[conductor]\ndelete_wait = 7\noperation_threads = 3\n")
    options.parse(["--config-file", str(file)])
    yield written
    options.CONF.clear()


def test_mutable_options_change(write: Write) -> None:
    write("[conductor]\ndelete_wait = 8\noperation_threads = 4\n")
    reload.apply()
    assert options.CONF.conductor.delete_wait == 8
    # Not mutable: the pool is made.
    assert options.CONF.conductor.operation_threads == 3


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[conductor]\ndelete_wait = long\n", "[conductor]delete_wait"),
        ("[conductor]\ndelete_wait = -1\n", "[conductor]delete_wait"),
        ("[conductor]\noperation_threads = none\n", "[conductor]operation_threads"),
        ("delete_wait 8\n", "magnum.conf"),
        ("[DEFAULT]\ndebug = maybe\n[conductor]\ndelete_wait = 8\n", "standard error"),
    ],
)
def test_a_bad_file_changes_nothing(
    write: Write, text: str, named: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(text)
    reload.apply()
    assert named in caplog.text
    assert len(caplog.messages) == 1
    assert options.CONF.conductor.delete_wait == 7
    assert options.CONF.debug is False


def test_a_file_that_is_gone_changes_nothing(
    write: Write, tmp_path: pathlib.Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "magnum.conf").unlink()
    reload.apply()
    assert "magnum.conf" in caplog.text
    assert options.CONF.conductor.delete_wait == 7


def test_options_of_others_are_kept(write: Write) -> None:
    # Drivers register theirs on the same object, after it was read.
    options.CONF.register_opt(cfg.IntOpt("depth", default=5), group="some_driver")
    try:
        write("[conductor]\ndelete_wait = 9\n[some_driver]\ndepth = 6\n")
        reload.apply()
        assert options.CONF.conductor.delete_wait == 9
        assert options.CONF.some_driver.depth == 5
    finally:
        options.CONF.clear()
