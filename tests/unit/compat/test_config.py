"""Parsing the configuration as magnum's commands do."""

from pathlib import Path

from oslo_config import cfg

from magnumlite.compat import config


def test_the_first_argument_is_the_program(conf: cfg.ConfigOpts, tmp_path: Path) -> None:
    file = tmp_path / "magnum.conf"
    file.write_text("[DEFAULT]\nhost = somewhere\n")
    config.parse_args(["magnum-conductor", "--config-file", str(file)])
    assert conf.host == "somewhere"
    config.parse_args([], default_config_files=[str(file)])
    assert conf.host == "somewhere"
