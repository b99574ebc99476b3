import types

import pytest

from magnumlite import exception
from magnumlite.db import fence
from magnumlite.drivers import registry
from magnumlite.drivers.simulated import script
from magnumlite.drivers.simulated.driver import SimulatedDriver
from magnumlite.drivers.simulated.marker import Marker
from magnumlite.drivers.simulated.script import Simulated
from tests.unit.drivers.simulated import rows

pytestmark = pytest.mark.usefixtures("database")


@pytest.fixture
def driver():
    return SimulatedDriver()


@pytest.fixture
def instant(conf):
    conf.set_override("delay", 0.0, "simulated")


def poll(driver, admin, row):
    """Poll as another process would, on a row of its own; return the row after."""
    driver.update_cluster_status(admin, rows.again(admin, row))
    return rows.again(admin, row)


def test_chosen_by_name_only(conf, context, admin):
    assert isinstance(registry.for_template(rows.template(context)), SimulatedDriver)
    unnamed = rows.template(context, name="unnamed", driver="")
    with pytest.raises(exception.ClusterTypeBetaNotEnabled):
        registry.for_template(unnamed)
    conf.set_override("enabled_beta_drivers", ["simulated"], "drivers")
    assert isinstance(registry.for_template(unnamed), SimulatedDriver)


@pytest.mark.usefixtures("instant")
def test_create(driver, context, admin):
    row = rows.cluster(context)
    assert poll(driver, admin, row).status == "CREATE_IN_PROGRESS", "create has not returned (B56)"
    driver.create_cluster(context, row, 60)
    after = poll(driver, admin, row)
    assert after.status == "CREATE_COMPLETE"
    assert after.status_reason is None
    assert after.api_address == "https://127.0.0.1:6443"
    assert after.coe_version == "v1.31.1"
    assert {ng.status for ng in after.nodegroups} == {"CREATE_COMPLETE"}
    assert after.node_addresses == ["10.2.0.1", "10.2.0.2"]
    assert after.master_addresses == ["10.1.0.1"]
    assert poll(driver, admin, row).as_dict() == after.as_dict(), "at rest nothing changes"


def test_the_time_is_in_the_row_where_every_host_sees_it(driver, conf, context, admin):
    row = rows.cluster(context, labels={"simulated_delay": "5"})
    driver.create_cluster(context, row, 60)
    assert poll(SimulatedDriver(), admin, row).status == "CREATE_IN_PROGRESS"
    stored = rows.again(admin, row)
    marker = Marker.parse(stored.stack_id)
    assert marker.operation == "create"
    stored.stack_id = str(Marker(marker.name, "create", marker.began - 6))
    stored.save()
    assert poll(SimulatedDriver(), admin, row).status == "CREATE_COMPLETE"


def test_only_the_marker_is_saved_by_the_call(driver, context, admin):
    row = rows.cluster(context)
    row.status_reason = "not yet"
    driver.create_cluster(context, row, 60)
    assert rows.again(admin, row).status_reason is None
    assert rows.again(admin, row).stack_id == row.stack_id


CALLS = {
    "create": lambda d, c, row, ng: d.create_cluster(c, row, 60),
    "update": lambda d, c, row, ng: d.update_cluster(c, row, None, False),
    "delete": lambda d, c, row, ng: d.delete_cluster(c, row),
    "pre_delete": lambda d, c, row, ng: d.pre_delete_cluster(c, row),
    "resize": lambda d, c, row, ng: d.resize_cluster(c, row, None, 3, [], ng),
    "upgrade": lambda d, c, row, ng: d.upgrade_cluster(c, row, None, 1, ng, None, False),
    "nodegroup_create": lambda d, c, row, ng: d.create_nodegroup(c, row, ng),
    "nodegroup_update": lambda d, c, row, ng: d.update_nodegroup(c, row, ng),
    "nodegroup_delete": lambda d, c, row, ng: d.delete_nodegroup(c, row, ng),
    "rotate_ca": lambda d, c, row, ng: d.rotate_ca_certificate(c, row),
    "rotate_credential": lambda d, c, row, ng: d.rotate_credential(c, row),
}


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("how", ["option", "label"])
def test_every_call_can_be_told_to_fail(driver, conf, context, admin, operation, how):
    row = rows.cluster(context)
    if how == "label":
        row.labels = {"simulated_fail": f"nothing, {operation}"}
    else:
        conf.set_override("fail", [operation], "simulated")
    with pytest.raises(Simulated, match=operation):
        CALLS[operation](driver, context, row, row.nodegroups[1])
    assert rows.again(admin, row).stack_id is None
    row.labels = {"simulated_fail": ""}
    CALLS[operation](driver, context, row, row.nodegroups[1])


@pytest.mark.parametrize("operation", CALLS)
def test_every_call_can_be_told_to_be_unsupported(driver, context, operation):
    row = rows.cluster(context, labels={"simulated_unsupported": operation})
    wanted = NotImplementedError if operation == "rotate_credential" else exception.NotSupported
    with pytest.raises(wanted):
        CALLS[operation](driver, context, row, row.nodegroups[1])


def test_hangs_and_slow_calls(driver, conf, context, monkeypatch):
    slept = []
    monkeypatch.setattr(script, "time", types.SimpleNamespace(sleep=slept.append))
    conf.set_override("hang_for", 1234.0, "simulated")
    driver.update_cluster(context, rows.cluster(context, labels={"simulated_hang": "update"}))
    assert slept == [0.0, 1234.0]
    row = rows.cluster(context, labels={"simulated_call_delay": "7", "simulated_poll_delay": "x"})
    driver.update_cluster(context, row)
    driver.update_cluster_status(context, row)
    assert slept[2:] == [7.0, 0.0]


@pytest.mark.usefixtures("instant")
def test_late_failure(driver, context, admin):
    row = rows.cluster(context, labels={"simulated_fail_late": "create"})
    driver.create_cluster(context, row, 60)
    after = poll(driver, admin, row)
    assert after.status == "CREATE_FAILED"
    assert "create" in after.status_reason
    assert {ng.status for ng in after.nodegroups} == {"CREATE_FAILED"}


@pytest.mark.usefixtures("instant")
def test_late_failure_names_the_operation_not_the_status(driver, context, admin):
    row = rows.cluster(
        context, status="UPDATE_IN_PROGRESS", labels={"simulated_fail_late": "resize"}
    )
    driver.update_cluster(context, row)
    assert poll(driver, admin, row).status == "UPDATE_COMPLETE"
    row.status = "UPDATE_IN_PROGRESS"
    row.save()
    driver.resize_cluster(context, row, None, 3, [], row.nodegroups[1])
    assert poll(driver, admin, row).status == "UPDATE_FAILED"


@pytest.mark.usefixtures("instant")
def test_a_deleted_nodegroup_is_removed(driver, context, admin):
    row = rows.cluster(context, status="UPDATE_IN_PROGRESS")
    extra = rows.nodegroup(context, row, status="DELETE_IN_PROGRESS")
    driver.delete_nodegroup(context, row, extra)
    after = poll(driver, admin, row)
    assert after.status == "UPDATE_COMPLETE"
    assert [ng.name for ng in after.nodegroups] == ["default-master", "default-worker"]


@pytest.mark.usefixtures("instant")
def test_delete(driver, context, admin):
    row = rows.cluster(context)
    driver.create_cluster(context, row, 60)
    row.status = "DELETE_IN_PROGRESS"
    row.save()
    driver.delete_cluster(context, row)
    assert poll(driver, admin, row).status == "DELETE_COMPLETE"


@pytest.mark.usefixtures("instant")
def test_a_cluster_of_another_driver_settles_too(driver, context, admin):
    row = rows.cluster(context, status="ROLLBACK_IN_PROGRESS", stack_id="a/b/c/d")
    assert poll(driver, admin, row).status == "ROLLBACK_COMPLETE"


@pytest.mark.usefixtures("instant")
def test_a_poll_that_was_overtaken_writes_nothing(driver, context, admin):
    # B02
    row = rows.cluster(context)
    driver.create_cluster(context, row, 60)
    seen = rows.again(admin, row)
    row.status = "DELETE_IN_PROGRESS"
    row.save()
    with (
        pytest.raises(exception.ClaimLost),
        fence.holding(fence.PollFence(row.uuid, 0, seen.status)),
    ):
        driver.update_cluster_status(admin, seen)
    assert rows.again(admin, row).status == "DELETE_IN_PROGRESS"


def test_masters(driver):
    driver.validate_master_resize(3)
    with pytest.raises(exception.MasterNGSizeInvalid):
        driver.validate_master_resize(2)


def test_no_monitor_without_the_api(driver, context):
    assert driver.get_monitor(context, rows.cluster(context)) is None


@pytest.mark.parametrize(
    ("text", "operation"),
    [("x", None), (None, None), ("", None), ("x/create/12.5", "create"), ("x/create/soon", None)],
)
def test_marker(text, operation):
    marker = Marker.parse(text)
    assert marker.operation == operation
    assert Marker.parse(str(marker)) == marker
    assert marker.over(0)


def test_the_marker_fits_the_column():
    assert len(str(Marker.parse(None).begin("rotate_credential"))) < 100
