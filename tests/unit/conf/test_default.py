import pytest
from oslo_config import types

from magnumlite.conf import default


@pytest.mark.parametrize(
    ("machine", "host"),
    [
        ("node-1.example.org", "node-1.example.org"),
        ("my_laptop", "my-laptop"),
        ("_node_", "node"),
        ("123456789012", "host-123456789012"),
        ("", "host"),
    ],
)
def test_host_defaults_to_the_machines_name(
    machine: str, host: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("socket.gethostname", lambda: machine)
    assert default._machine_name() == host


def test_every_such_name_is_valid(monkeypatch: pytest.MonkeyPatch) -> None:
    for machine in ("my_laptop", "123456789012", "a" * 64, "1.2.3.4", "-", ""):
        monkeypatch.setattr("socket.gethostname", lambda name=machine: name)
        types.HostAddress()(default._machine_name())
