import pytest
import sqlalchemy as sa

from magnumlite.cmd import db_manage
from magnumlite.db import engine, schema


@pytest.fixture
def run(conf, tmp_path):
    """Run the command on a database that is empty at first."""
    config = tmp_path / "magnum.conf"
    config.write_text(f"[database]\nconnection = sqlite:///{tmp_path / 'm.sqlite'}\n")
    engine.dispose()
    yield lambda command: db_manage.main(["--config-file", str(config), command])
    engine.dispose()


def test_check_version_upgrade(run, capsys):
    assert run("check") == 1
    assert "magnumlite-db-manage upgrade" in capsys.readouterr().out
    assert run("version") == 0
    assert "magnum: none" in capsys.readouterr().out
    assert run("upgrade") == 0
    assert f"magnum: {schema.HEAD} (needed: {schema.HEAD})" in capsys.readouterr().out
    assert run("check") == 0


def test_another_head_is_one_line(run, capsys):
    run("upgrade")
    with engine.writer() as session:
        session.execute(sa.text("UPDATE alembic_version SET version_num = 'abc'"))
    capsys.readouterr()
    assert run("upgrade") == 1
    (line,) = capsys.readouterr().err.splitlines()
    assert "abc" in line
    assert schema.HEAD in line


def test_a_command_is_needed(capsys):
    with pytest.raises(SystemExit):
        db_manage.main([])
    assert "upgrade" in capsys.readouterr().err
