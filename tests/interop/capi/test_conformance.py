"""magnumlite-sandbox conformance with magnum-capi-helm, against our management cluster."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.interop.capi.site import IMAGES, LARGE, Site
from tests.interop.driver_environment import Environment

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

TEMPLATE = {
    "image_id": IMAGES["1.30.1"],
    "flavor_id": LARGE,
    "master_flavor_id": LARGE,
    "external_network_id": "internet",
    "fixed_network": "nodes",
    "fixed_subnet": "nodes-v4",
    "dns_nameserver": "192.0.2.53",
    "master_lb_enabled": "true",
    "keypair_id": "key",
}


def test_what_it_says_of_capi_helm(environment: Environment, site: Site, tmp_path: Path) -> None:
    options = {
        name: value
        for name, value in site.options.items()
        if name.startswith(("capi_helm.", "keystone_auth.", "cinder_client."))
    }
    done = subprocess.run(
        [
            environment.program("magnumlite-sandbox"),
            *("conformance", "--driver", "k8s_capi_helm_v1", "--dir", str(tmp_path)),
            *(f"--option={name}={value}" for name, value in options.items()),
            *(f"--template={name}={value}" for name, value in TEMPLATE.items()),
            f"--upgrade=image_id={IMAGES['1.31.2']}",
            "--json",
        ],
        env={
            **environment.variables(["capi-helm"]),
            "PATH": str(site.program.parent),
            "REQUESTS_CA_BUNDLE": "",
            "CURL_CA_BUNDLE": "",
        },
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    operations = {each["name"]: each["verdict"] for each in report["operations"]}
    assert operations.pop("rotate CA") == "not supported"
    assert set(operations.values()) == {"pass"}
    checks = {each["name"]: each for each in report["checks"]}
    assert checks.pop("scaling")["verdict"] == "not supported"
    assert checks.pop("durations")["verdict"] in ("pass", "advice")  # it waits for helm
    saves = checks.pop("saves")
    assert [finding["what"].partition(" = ")[0] for finding in saves["findings"]] == [
        "upgrade_cluster saved nodegroup.status"
    ]
    assert {name: check["verdict"] for name, check in checks.items()} == dict.fromkeys(
        checks, "pass"
    )
    assert report["saves"]["update_cluster_status"]["cluster"] == [
        "api_address",
        "coe_version",
        "status",
    ]
