"""Each planted fault is found, by its own name and by no other; a good driver has none."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from magnumlite.drivers import base, catalog
from magnumlite.sandbox.conformance.examination import Options, examine
from magnumlite.sandbox.conformance.report import CheckResult, Report, Verdict
from tests.functional.conformance import faulty_drivers

Examine = Callable[..., Report]

#: Fault, the check that finds it, and words of what it says.
FAILURES = [
    (faulty_drivers.Unfinished, "statuses", "nodegroup default-worker was still in progress"),
    (faulty_drivers.Misnamed, "statuses", "create ended in UPDATE_COMPLETE"),
    (faulty_drivers.Illegal, "statuses", "READY"),
    (faulty_drivers.Restless, "idempotence", "a poll at rest, after create, changed"),
    (faulty_drivers.Ticking, "idempotence", "polls in progress changed a value again and again"),
    (faulty_drivers.Raising, "errors", "update_cluster_status raised KeyError"),
    (faulty_drivers.Unimplemented, "errors", "upgrade_cluster raised NotImplementedError"),
    (faulty_drivers.Impatient, "errors", "delete_cluster, called once more while"),
    (faulty_drivers.Quitting, "errors", "update_nodegroup raised SystemExit"),
    (faulty_drivers.Ancient, "interface", "upgrade_cluster cannot be called with 5 arguments"),
    (faulty_drivers.Aimless, "interface", "provides does not tell what it makes"),
    (faulty_drivers.Behind, "saves", "through an object of its own"),
    (faulty_drivers.Contrary, "saves", "default-worker.node_count is 1 and not 2 as asked for"),
    (
        faulty_drivers.Elsewhere,
        "fences",
        "a poll that had been overtaken wrote cluster",
    ),
    (faulty_drivers.MixedUp, "threads", "wrote the cluster of another"),
    (faulty_drivers.Nosy, "neighbours", "wrote another cluster's cluster.coe_version"),
    (faulty_drivers.Relabelling, "labels", "changed the labels of the Cluster"),
    (faulty_drivers.Addressless, "addresses", "None into node_addresses"),
    (faulty_drivers.Talkative, "reasons", "130000 bytes"),
    (faulty_drivers.Littering, "leftovers", "1 file: kubeconfig-"),
    (faulty_drivers.Connected, "leftovers", "1 socket"),
    (faulty_drivers.Watching, "leftovers", "1 thread: watcher"),
    (faulty_drivers.Recording, "leftovers", "rows are left in x509keypair"),
    (faulty_drivers.Blind, "monitor", "ConnectionError: no route to host"),
    (faulty_drivers.Removing, "scaling", "returned ['node-1']"),
]
ADVICE = [
    (faulty_drivers.Deaf, "fences", "went on after a save was refused"),
    (faulty_drivers.Sleepy, "durations", "create_nodegroup took 1."),
    (faulty_drivers.Clinging, "memory", "a Cluster given to update_cluster_status"),
]
#: Those that only time tells, and what they keep the tour from.
ENDLESS = [
    (faulty_drivers.Silent, "statuses", "it has no update_cluster_status"),
    (faulty_drivers.Endless, "statuses", "the cluster is still CREATE_IN_PROGRESS"),
    (faulty_drivers.Hanging, "durations", "update_cluster_status did not return"),
]


@pytest.fixture
def examined(conf: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Examine:
    """Examine a class as if a package had it."""

    def examined(driver: type[Any], timeout: float = 60, slow: float = 60) -> Report:
        name = driver.__name__.lower()
        entry = importlib.metadata.EntryPoint(
            name, f"{driver.__module__}:{driver.__name__}", catalog.GROUP
        )
        found = catalog.Catalog()
        monkeypatch.setattr(found, "_entry_points", {name: entry})
        monkeypatch.setattr(catalog, "CATALOG", found)
        monkeypatch.setattr(base.Driver, "definitions", None)
        options = Options(
            driver=name,
            directory=tmp_path,
            timeout=timeout,
            slow=slow,
            crowd=2,
            # Small keys are quick to make; what they are worth is no matter here.
            options=[("x509", "rsa_key_size", "1024")],
        )
        return examine(options, lambda what: None)

    return examined


def found_by(report: Report) -> dict[str, CheckResult]:
    return {result.name: result for result in report.checks if result.findings}


@pytest.mark.parametrize("driver", [faulty_drivers.Honest, faulty_drivers.Complete])
def test_a_good_driver_has_no_fault(examined: Examine, driver: type[Any]) -> None:
    report = examined(driver)

    assert found_by(report) == {}
    assert report.passed
    assert {r.verdict for r in report.operations} <= {Verdict.PASS, Verdict.UNSUPPORTED}
    assert Verdict.UNTRIED not in {r.verdict for r in report.checks}
    assert report.saves["update_cluster_status"]["cluster"] == ["api_address", "status"]


def test_what_a_driver_may_leave_out_is_not_supported(examined: Examine) -> None:
    report = examined(faulty_drivers.Honest)

    unsupported = {r.name for r in report.operations if r.verdict is Verdict.UNSUPPORTED}
    assert unsupported == {"rotate credential"}
    unsupported = {r.name for r in report.checks if r.verdict is Verdict.UNSUPPORTED}
    assert unsupported == {"monitor", "scaling"}


@pytest.mark.parametrize(
    ("driver", "check", "text"), FAILURES, ids=[driver.__name__ for driver, _, _ in FAILURES]
)
def test_a_fault_fails_its_check_and_no_other(
    examined: Examine, driver: type[Any], check: str, text: str
) -> None:
    report = examined(driver)

    found = found_by(report)
    assert found.keys() == {check}
    assert found[check].verdict is Verdict.FAIL
    assert any(text in finding.what for finding in found[check].findings), found[check]
    assert not report.passed


def test_one_that_no_template_can_have_is_not_toured(examined: Examine) -> None:
    report = examined(faulty_drivers.Nomadic)

    assert found_by(report).keys() == {"interface"}
    assert "provides has coe 'nomad'" in found_by(report)["interface"].findings[0].what
    assert {r.verdict for r in report.operations} == {Verdict.UNTRIED}
    assert {r.ended for r in report.operations} == {"no template can be of its kind"}
    assert not report.passed


@pytest.mark.parametrize(
    ("driver", "check", "text"), ADVICE, ids=[driver.__name__ for driver, _, _ in ADVICE]
)
def test_what_works_all_the_same_is_advised_on(
    examined: Examine, driver: type[Any], check: str, text: str
) -> None:
    report = examined(driver, slow=1.4 if driver is faulty_drivers.Sleepy else 60)

    found = found_by(report)
    assert check in found
    assert found.keys() <= {check, "durations"}  # whatever else is slow here today
    assert found[check].verdict is Verdict.ADVICE
    assert any(text in finding.what for finding in found[check].findings), found[check]
    assert report.passed


@pytest.mark.parametrize(
    ("driver", "check", "text"), ENDLESS, ids=[driver.__name__ for driver, _, _ in ENDLESS]
)
def test_what_never_ends_is_told_after_a_time(
    examined: Examine, driver: type[Any], check: str, text: str
) -> None:
    report = examined(driver, timeout=10)

    found = found_by(report)
    assert found.keys() == {check}
    assert any(text in finding.what for finding in found[check].findings), found[check]
    assert {r.verdict for r in report.operations} >= {Verdict.FAIL, Verdict.UNTRIED}
    assert not report.passed
