"""Processes, files and texts (facts recorded from magnum 23.0.0)."""

import logging
import os
from pathlib import Path
from typing import Any

import pytest
from oslo_concurrency import processutils
from oslo_config import cfg

from magnumlite import exception
from magnumlite.compat import common_utils as utils


@pytest.mark.parametrize(
    ("quantity", "number"),
    [
        ("500m", 0.5),
        ("1Ki", 1024.0),
        ("1.5Gi", 1610612736.0),
        ("1G", 1e9),
        ("1E", 1e18),
        ("1P", 1e15),  # a KeyError in magnum
        ("1Pi", 2.0**50),
        ("1e3", 1000.0),
        ("123e-2", 1.23),
        ("1.5", 1.5),
        (".5", 0.5),
    ],
)
def test_kubernetes_quantities(quantity: str, number: float) -> None:
    assert utils.get_k8s_quantity(quantity) == pytest.approx(number)


@pytest.mark.parametrize("quantity", ["", "1Z", "1p", "1K", "junk", "Ki"])
def test_what_is_no_quantity(quantity: str) -> None:
    with pytest.raises(exception.UnsupportedK8sQuantityFormat):
        utils.get_k8s_quantity(quantity)


def test_units() -> None:
    assert utils.MEMORY_UNITS["Gi"] == 2**30
    assert utils.MEMORY_UNITS["P"] == 1e15
    assert utils.DOCKER_MEMORY_UNITS == {"b": 1, "k": 1024, "m": 1048576, "g": 1073741824}


def test_running_a_command() -> None:
    assert utils.execute("sh", "-c", "echo out; echo err >&2") == ("out\n", "err\n")
    out, _ = utils.execute(
        "sh", "-c", "echo $LC_ALL $OURS", use_standard_locale=True, env_variables={"OURS": "1"}
    )
    assert out == "C 1\n"
    with pytest.raises(processutils.ProcessExecutionError):
        utils.execute("false")
    with pytest.raises(processutils.UnknownArgumentError):
        utils.execute("true", bogus=1)


def test_root_is_reached_through_rootwrap(
    conf: cfg.ConfigOpts, monkeypatch: pytest.MonkeyPatch
) -> None:
    called: list[Any] = []
    monkeypatch.setattr(
        processutils, "execute", lambda *cmd, **kwargs: called.append((cmd, kwargs)) or ("", "")
    )
    conf.set_override("rootwrap_config", "/etc/wrap.conf")
    utils.execute("id", run_as_root=True)
    assert called[0][1]["root_helper"] == "sudo magnum-rootwrap /etc/wrap.conf"


def test_a_command_that_may_fail() -> None:
    command = ("sh", "-c", "echo o; echo e >&2")
    assert utils.trycmd(*command) == ("o\n", "e\n")
    assert utils.trycmd(*command, discard_warnings=True) == ("o\n", "")
    assert "Exit code: 1" in utils.trycmd("false")[1]


def test_mac_addresses() -> None:
    assert utils.validate_and_normalize_mac("00:11:22:33:44:FF") == "00:11:22:33:44:ff"
    for bad in ("001122334455", "xx", None):
        with pytest.raises(exception.InvalidMAC):
            utils.validate_and_normalize_mac(bad)  # type: ignore[arg-type]


def test_dns_servers() -> None:
    for good in ("8.8.8.8", "8.8.8.8,1.1.1.1", "8.8.8.8, 1.1.1.1"):
        assert utils.validate_dns(good) == good
    for bad in ("x", "", "::1", "8.8.8.8,"):
        with pytest.raises(exception.InvalidDNS):
            utils.validate_dns(bad)


def test_a_temporary_directory(conf: cfg.ConfigOpts, tmp_path: Path) -> None:
    conf.set_override("tempdir", str(tmp_path))
    with utils.tempdir(suffix="-mine") as path:
        assert os.path.dirname(path) == str(tmp_path)
        assert path.endswith("-mine")
        (Path(path) / "file").touch()
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_removed_is_told(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        utils.rmtree_without_raise("/nowhere/at/all")
    assert "/nowhere/at/all" in caplog.text


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (("abc\n",), "abc"),
        (("abcxx", "x"), "abc"),
        (("xxx", "x"), "xxx"),
        (("", "x"), ""),
        ((5,), 5),
        ((None,), None),
    ],
)
def test_stripping(arguments: tuple[Any, ...], result: Any) -> None:
    assert utils.safe_rstrip(*arguments) == result


def test_any_name_is_safe_but_none() -> None:
    assert utils.is_name_safe("a b/c")
    assert not utils.is_name_safe("")
    assert not utils.is_name_safe(None)


def test_passwords() -> None:
    assert [len(utils.generate_password(n)) for n in (0, 1, 3, 20)] == [0, 1, 3, 20]
    for _ in range(50):
        password = utils.generate_password(12, ("ab", "12"))
        assert set(password) <= set("ab12")
        assert set(password) & set("ab")
        assert set(password) & set("12")
        assert not set(utils.generate_password(20)) & set("0O1Il")
    assert len({utils.generate_password(20) for _ in range(50)}) == 50


def test_the_clouds_ca(conf: cfg.ConfigOpts, tmp_path: Path) -> None:
    assert utils.get_openstack_ca() == ""
    file = tmp_path / "ca.pem"
    file.write_text("-----BEGIN CERTIFICATE-----\n")
    conf.set_override("openstack_ca_file", str(file), "drivers")
    assert utils.get_openstack_ca() == "-----BEGIN CERTIFICATE-----\n"
