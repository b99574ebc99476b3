import pathlib

import pytest
from oslo_config import cfg

from magnumlite import conf as options
from magnumlite import exception

BAD = [
    ("[conductor]\nworkers = many", "[conductor]workers in {path}: "),
    ("[conductor]\noperation_threads = 513", "[conductor]operation_threads in {path}: "),
    ("[DEFAULT]\nhost = a_b", "[DEFAULT]host in {path}: "),
    ("[x509]\nallowed_extensions = bogus", "[x509]allowed_extensions in {path}: "),
    # Options of libraries are read late, and are told at start all the same.
    (
        "[oslo_messaging_rabbit]\nrabbit_qos_prefetch_count = x",
        "[oslo_messaging_rabbit]rabbit_qos_prefetch_count in {path}: ",
    ),
    ("[DEFAULT]\nrpc_response_timeout = soon", "[DEFAULT]rpc_response_timeout in {path}: "),
    ("[DEFAULT]\nstate_path = $nowhere/x", "nowhere"),
    ("[sync]\nslow_after = nan", "[sync]slow_after is nan"),
    ("[health]\nread_timeout = inf", "[health]read_timeout is inf"),
    ("[fleet]\nbeat_interval = 10", "[fleet]dead_after is 15 s and [fleet]beat_interval 10 s"),
    ("[journal]\ndead_after = 19", "[journal]dead_after is 19 s"),
    ("no assignment", "Failed to parse {path}"),
    ("[DEFAULT]\nlog_config_append = /does/not/exist", "/does/not/exist"),
    ("[DEFAULT]\nlog_file = /does/not/exist/magnum.log", "/does/not/exist/magnum.log"),
]


def parse(path: pathlib.Path, text: str) -> None:
    path.write_text(text + "\n")
    options.parse(["--config-file", str(path)])


@pytest.mark.parametrize(("text", "told"), BAD)
def test_error_is_one_line_that_names_option_or_file(
    conf: cfg.ConfigOpts, tmp_path: pathlib.Path, text: str, told: str
) -> None:
    path = tmp_path / "magnum.conf"
    with pytest.raises(exception.ConfigInvalid) as raised:
        parse(path, text)
    assert told.format(path=path) in str(raised.value)
    assert "\n" not in str(raised.value)
    assert "LocationInfo" not in str(raised.value)


def test_file_that_is_not_there(conf: cfg.ConfigOpts, tmp_path: pathlib.Path) -> None:
    with pytest.raises(exception.ConfigInvalid, match=r"missing\.conf"):
        options.parse(["--config-file", str(tmp_path / "missing.conf")])
    with pytest.raises(exception.ConfigInvalid, match="no-such-dir"):
        options.parse(["--config-dir", str(tmp_path / "no-such-dir")])


def test_file_that_is_not_text(conf: cfg.ConfigOpts, tmp_path: pathlib.Path) -> None:
    path = tmp_path / "magnum.conf"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(exception.ConfigInvalid, match="UTF-8"):
        options.parse(["--config-file", str(path)])


def test_what_is_not_known_does_no_harm(conf: cfg.ConfigOpts, tmp_path: pathlib.Path) -> None:
    parse(tmp_path / "magnum.conf", "[heat]\nmax_stacks = x\n[conductor]\nworkers = 3")
    assert conf.conductor.workers == 3


def test_without_a_file_those_of_magnum_conductor_are_read(
    conf: cfg.ConfigOpts, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    home = tmp_path / ".magnum"
    (home / "magnum.conf.d").mkdir(parents=True)
    (home / "magnum.conf").write_text("[conductor]\nworkers = 1\ndelete_wait = 1\n")
    (home / "magnum-conductor.conf").write_text("[conductor]\nworkers = 2\n")
    (home / "magnum.conf.d" / "a.conf").write_text("[conductor]\npre_delete_timeout = 3\n")
    options.parse([])
    assert conf.conductor.delete_wait == 1
    assert conf.conductor.workers == 2
    assert conf.conductor.pre_delete_timeout == 3


def test_given_files_are_all_that_is_read(
    conf: cfg.ConfigOpts, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / ".magnum").mkdir()
    (tmp_path / ".magnum" / "magnum.conf").write_text("[conductor]\nworkers = 7\n")
    parse(tmp_path / "other.conf", "[conductor]\ndelete_wait = 5")
    assert conf.conductor.workers is None
    options.parse([], default_config_files=[])
    assert conf.conductor.workers is None
