"""The driver interface and its selection rules (contract/drivers.md)."""

import inspect
import logging
from types import SimpleNamespace
from typing import Any

import pytest
from oslo_config import cfg

from magnumlite import exception, objects
from magnumlite.drivers.base import Driver
from tests.unit.drivers.packages import METHODS, Packages, packages

__all__ = ["packages"]

# Copied from contract/drivers.md: member, parameters, abstract.
INTERFACE = {
    "load_entry_points": ("()", False),
    "get_drivers": ("()", False),
    "get_driver": ("(server_type, os, coe, driver_name=None)", False),
    "get_default_driver": ("()", False),
    "get_driver_for_cluster": ("(context, cluster)", False),
    "update_cluster_status": ("(self, context, cluster, use_admin_ctx=False)", False),
    "create_cluster": ("(self, context, cluster, cluster_create_timeout)", True),
    "update_cluster": ("(self, context, cluster, scale_manager=None, rollback=False)", True),
    "pre_delete_cluster": ("(self, context, cluster)", False),
    "upgrade_cluster": (
        "(self, context, cluster, cluster_template, max_batch_size, nodegroup, "
        "scale_manager=None, rollback=False)",
        True,
    ),
    "delete_cluster": ("(self, context, cluster)", True),
    "resize_cluster": (
        "(self, context, cluster, resize_manager, node_count, nodes_to_remove, nodegroup=None)",
        True,
    ),
    "validate_master_size": ("(self, node_count)", False),
    "validate_master_resize": ("(self, node_count)", False),
    "create_federation": ("(self, context, federation)", True),
    "update_federation": ("(self, context, federation)", True),
    "delete_federation": ("(self, context, federation)", True),
    "create_nodegroup": ("(self, context, cluster, nodegroup)", True),
    "update_nodegroup": ("(self, context, cluster, nodegroup)", True),
    "delete_nodegroup": ("(self, context, cluster, nodegroup)", True),
    "rotate_credential": ("(self, context, cluster)", False),
    "get_monitor": ("(self, context, cluster)", False),
    "get_scale_manager": ("(self, context, osclient, cluster)", False),
    "rotate_ca_certificate": ("(self, context, cluster)", False),
}

KIND = ("vm", "ubuntu", "kubernetes")


class Minimal(Driver):
    """A driver with just what must be there, each calling the base."""

    provides = [{"server_type": "vm", "os": "ubuntu", "coe": "kubernetes"}]

    exec(inspect.cleandoc(METHODS))  # the same methods that the packages have


def plain(signature: inspect.Signature) -> str:
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return str(inspect.Signature(parameters))


@pytest.mark.parametrize("member", INTERFACE)
def test_every_member_has_the_signature_of_the_contract(member: str) -> None:
    parameters, abstract = INTERFACE[member]
    assert plain(inspect.signature(getattr(Driver, member))) == parameters
    assert (member in Driver.__abstractmethods__) is abstract


def test_nothing_else_is_abstract() -> None:
    abstract = {name for name, (_, is_abstract) in INTERFACE.items() if is_abstract}
    assert Driver.__abstractmethods__ == abstract | {"provides"}
    assert Driver.beta is False


@pytest.mark.parametrize("member", sorted(Driver.__abstractmethods__ - {"provides"}))
def test_what_a_driver_leaves_out_says_so(member: str) -> None:
    method = getattr(Driver, member)
    arguments = [None] * (len(inspect.signature(method).parameters) - 1)
    with pytest.raises(NotImplementedError, match=f"Minimal does not implement {member}"):
        method(Minimal(), *arguments)


def test_what_the_base_answers() -> None:
    driver = Minimal()
    assert driver.pre_delete_cluster(None, None) is None
    assert driver.get_monitor(None, None) is None
    assert driver.get_scale_manager(None, None, None) is None
    with pytest.raises(NotImplementedError):
        driver.rotate_credential(None, None)
    with pytest.raises(exception.NotSupported, match="CA certificate"):
        driver.rotate_ca_certificate(None, None)


@pytest.mark.parametrize(("count", "accepted"), [(-1, 0), (0, 0), (1, 1), (2, 0), (3, 1), (5, 1)])
def test_the_number_of_masters_is_odd(count: int, accepted: int) -> None:
    if accepted:
        Minimal().validate_master_size(count)
    else:
        with pytest.raises(exception.MasterNGSizeInvalid, match=str(count)):
            Minimal().validate_master_size(count)
    with pytest.raises(exception.MasterNGResizeNotSupported):
        Minimal().validate_master_resize(count)


def test_a_driver_that_never_finishes_is_warned_of_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Silent(Minimal):
        pass

    with caplog.at_level(logging.WARNING, "magnumlite.drivers.base"):
        for _ in range(3):
            Silent().update_cluster_status(None, SimpleNamespace(uuid="the-cluster"))
    (record,) = caplog.records
    assert "Silent" in record.message
    assert "the-cluster" in record.message


def test_each_call_gives_a_new_instance(packages: Packages) -> None:
    packages.driver("one")
    assert Driver.get_driver(*KIND) is not Driver.get_driver(*KIND)
    assert Driver.get_driver("x", "y", "z", "one") is not Driver.get_driver("x", "y", "z", "one")


def test_the_map_of_drivers(packages: Packages) -> None:
    packages.driver("a", os="ubuntu")
    packages.driver("b", os="ubuntu")
    packages.driver("c", os="flatcar")
    found = Driver.get_drivers()
    assert {kind: entry["entry_point_name"] for kind, entry in found.items()} == {
        ("vm", "ubuntu", "kubernetes"): "b",
        ("vm", "flatcar", "kubernetes"): "c",
    }
    assert Driver.get_drivers() is found
    assert [entry_point.name for entry_point, _ in Driver.load_entry_points()] == ["a", "b", "c"]


def test_an_empty_map_is_not_kept(packages: Packages) -> None:
    assert Driver.get_drivers() == {}
    assert Driver.definitions is None


def test_a_name_goes_before_the_kind_and_the_options(
    packages: Packages, conf: cfg.ConfigOpts
) -> None:
    packages.driver("hidden", os="flatcar", body="beta = True")
    packages.driver("seen")
    conf.set_override("disabled_drivers", ["hidden"], "drivers")
    assert type(Driver.get_driver(*KIND, "hidden")).provides[0]["os"] == "flatcar"
    assert type(Driver.get_driver(*KIND, "")).provides[0]["os"] == "ubuntu"
    with pytest.raises(exception.ClusterDriverNotSupported, match="other"):
        Driver.get_driver(*KIND, "other")


def test_a_kind_that_nobody_has(packages: Packages) -> None:
    with pytest.raises(exception.ClusterTypeNotSupported, match="no driver is installed"):
        Driver.get_driver(*KIND)
    packages.driver("b", os="ubuntu")
    packages.driver("a", os="flatcar")
    with pytest.raises(exception.ClusterTypeNotSupported) as caught:
        Driver.get_driver("vm", "fedora", "kubernetes")
    assert caught.value.kwargs["supported_cluster_types"] == (
        "(vm, flatcar, kubernetes), (vm, ubuntu, kubernetes)"
    )


def test_beta_drivers_are_chosen_when_enabled(packages: Packages, conf: cfg.ConfigOpts) -> None:
    packages.driver("new", body="beta = True")
    with pytest.raises(exception.ClusterTypeBetaNotEnabled, match="new"):
        Driver.get_driver(*KIND)
    conf.set_override("enabled_beta_drivers", ["new"], "drivers")
    assert Driver.get_driver(*KIND).beta is True


def test_a_named_driver_that_is_broken_tells_why(packages: Packages) -> None:
    """B28: only requests that need it fail, with the import error as the reason."""
    packages.driver("good")
    packages.source("bad", "import a_library_that_nobody_has")
    assert Driver.get_driver(*KIND)
    with pytest.raises(exception.DriverUnavailable, match=r"bad.*a_library_that_nobody_has"):
        Driver.get_driver(*KIND, "bad")


def test_the_default_driver(
    packages: Packages, conf: cfg.ConfigOpts, caplog: pytest.LogCaptureFixture
) -> None:
    assert Driver.get_default_driver() is None
    assert "No cluster driver" in caplog.text
    packages.driver("b")
    packages.driver("a")
    assert Driver.get_default_driver() == "a"
    conf.set_override("default_driver", "b", "drivers")
    assert Driver.get_default_driver() == "b"
    conf.set_override("disabled_drivers", ["b"], "drivers")
    with pytest.raises(exception.ClusterDriverNotSupported, match="b"):
        Driver.get_default_driver()


def test_the_driver_of_a_cluster_is_its_templates(
    packages: Packages, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages.driver("named", os="any")
    asked: list[Any] = []

    def get_by_uuid(context: Any, uuid: str) -> Any:
        asked.append((context, uuid))
        return SimpleNamespace(
            server_type="vm", cluster_distro="ubuntu", coe="kubernetes", driver="named"
        )

    monkeypatch.setattr(objects.ClusterTemplate, "get_by_uuid", get_by_uuid)
    cluster = SimpleNamespace(cluster_template_id="template")
    assert type(Driver.get_driver_for_cluster("context", cluster)).provides[0]["os"] == "any"
    assert asked == [("context", "template")]
