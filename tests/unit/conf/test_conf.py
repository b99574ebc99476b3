import pathlib
import socket
import subprocess
import sys

import oslo_messaging
import pytest
from oslo_config import cfg

from magnumlite import conf as options

ROOT = pathlib.Path(__file__).parents[3]


def test_every_option_has_a_help_text() -> None:
    without = [
        f"{group}.{opt.name}" for group, opts in options.list_opts() for opt in opts if not opt.help
    ]
    assert without == []


def test_every_option_is_registered(conf: cfg.ConfigOpts) -> None:
    for group, opts in options.list_opts():
        if group is None or group.name != "keystone_auth":
            for opt in opts:
                assert opt.dest in (conf if group is None else conf[group.name])
    assert "auth_type" in conf.keystone_auth


def test_libraries_have_magnums_defaults(conf: cfg.ConfigOpts) -> None:
    assert conf.control_exchange == "magnum"
    assert conf.oslo_messaging_rabbit.rabbit_qos_prefetch_count == 200
    assert conf.oslo_messaging_notifications.retry == 3
    assert conf.database.connection == f"sqlite:///{conf.state_path}/magnum.sqlite"


def test_libraries_accept_options_that_are_there_already(conf: cfg.ConfigOpts) -> None:
    conf.set_override("transport_url", "fake://")
    transport = oslo_messaging.get_rpc_transport(conf)
    oslo_messaging.get_rpc_server(transport, oslo_messaging.Target(topic="t", server="s"), [])
    oslo_messaging.get_rpc_client(transport, oslo_messaging.Target(topic="t"))
    oslo_messaging.Notifier(oslo_messaging.get_notification_transport(conf))
    oslo_messaging.get_rpc_transport(conf, url="rabbit://a:b@127.0.0.1:1/").cleanup()


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample as made now, in a process where nobody has changed a default."""
    output = tmp_path_factory.mktemp("sample") / "magnum.conf.sample"
    arguments = ["--config-file", "etc/oslo-config-generator.conf", "--output-file", str(output)]
    code = f"from oslo_config import generator; generator.main({arguments})"
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)
    return output.read_text()


def test_sample_is_current(sample: str) -> None:
    # If not: make sample
    assert sample == (ROOT / "etc" / "magnum.conf.sample").read_text()


def test_sample_knows_no_machine(sample: str) -> None:
    assert str(ROOT) not in sample
    assert f"= {socket.gethostname()}\n" not in sample
    assert sys.prefix not in sample


def test_sample_does_without_osprofiler() -> None:
    code = (
        "import sys; sys.modules['osprofiler'] = None;"
        "from magnumlite import conf; assert conf.list_opts()"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_conf_does_without_keystoneauth() -> None:
    code = (
        "import sys; sys.modules['keystoneauth1'] = None;"
        "from magnumlite import conf; conf.parse([], default_config_files=[]);"
        "assert conf.list_opts(); conf.CONF.keystone_auth"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_generator_may_load_the_libraries_first() -> None:
    code = "import oslo_messaging, oslo_service.service; import magnumlite.conf"
    subprocess.run([sys.executable, "-c", code], check=True)
