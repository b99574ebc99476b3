"""magnum-capi-helm and magnum-cluster-api as they come from PyPI, with magnum itself beside us."""

import selectors
import signal
import subprocess
import time
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.interop.driver_environment import Environment

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

CAPI_HELM = ["k8s_capi_helm_v1"]
CLUSTER_API = [
    "k8s_cluster_api_debian",
    "k8s_cluster_api_flatcar",
    "k8s_cluster_api_rockylinux",
    "k8s_cluster_api_ubuntu",
    "k8s_cluster_api_ubuntu_focal",
]
BOTH = ["capi-helm", "cluster-api"]

STATE = """
    from types import SimpleNamespace
    from magnumlite.drivers import base, registry

    def made(name):
        template = SimpleNamespace(server_type="", cluster_distro="", coe="", driver=name)
        driver = registry.for_template(template)
        return isinstance(driver, base.Driver) and driver is registry.for_template(template)

    def origin(module):
        return getattr(module, "__file__", None) or ""

    answer = {
        "names": [name for name in registry.names() if name != "simulated"],
        "failures": registry.failures(),
        "kinds": sorted(kind[1] for kind in base.Driver.get_drivers() if kind[1] != "simulated-os"),
        "made": all(made(name) for name in registry.names()),
        "magnums_own": sorted(
            name
            for name, module in sys.modules.items()
            if "/site-packages/magnum/" in origin(module)
        ),
    }
"""


@pytest.mark.parametrize(
    ("drivers", "names", "kinds"),
    [
        (["capi-helm"], CAPI_HELM, ["flatcar", "ubuntu"]),
        (
            ["cluster-api"],
            CLUSTER_API,
            ["debian", "flatcar", "rockylinux", "ubuntu", "ubuntu-focal"],
        ),
        (
            BOTH,
            CAPI_HELM + CLUSTER_API,
            ["debian", "flatcar", "rockylinux", "ubuntu", "ubuntu-focal"],
        ),
    ],
    ids=["capi-helm", "cluster-api", "both"],
)
def test_they_load_and_are_made(
    environment: Environment, drivers: list[str], names: list[str], kinds: list[str]
) -> None:
    state = environment.ask(drivers, STATE)
    assert state == {
        "names": names,
        "failures": {},
        "kinds": kinds,
        "made": True,
        "magnums_own": [],
    }


def test_one_that_misses_a_library_does_not_hurt_the_other(
    environment: Environment, tmp_path: Path
) -> None:
    """B28, B69: magnum-cluster-api without the library that it does not declare."""
    (tmp_path / "novaclient.py").write_text("raise ImportError('No module named novaclient')")
    state = environment.ask(BOTH, STATE, path=[tmp_path])
    assert state["names"] == CAPI_HELM
    assert state["kinds"] == ["flatcar", "ubuntu"]
    assert sorted(state["failures"]) == CLUSTER_API
    assert set(state["failures"].values()) == {"ImportError: No module named novaclient"}


def test_one_without_its_management_cluster_does_not_hurt_the_other(
    environment: Environment,
) -> None:
    """magnum-cluster-api reads a kubeconfig when it is made."""
    state = environment.ask(
        BOTH,
        """
        import os
        os.environ["KUBECONFIG"] = "/nowhere"
        from magnumlite.drivers import base, registry
        kinds = sorted(kind[1] for kind in base.Driver.get_drivers() if kind[1] != "simulated-os")
        answer = [kinds, registry.failures()]
        """,
    )
    assert state[0] == ["flatcar", "ubuntu"]
    assert sorted(state[1]) == CLUSTER_API
    assert "/nowhere" in state[1]["k8s_cluster_api_ubuntu"]


def test_the_conductor_starts_and_lists_them(
    environment: Environment, rabbit_vhost: str, tmp_path: Path
) -> None:
    file = tmp_path / "magnum.conf"
    file.write_text(
        f"[DEFAULT]\ntransport_url = {rabbit_vhost}\nhost = interop\n"
        f"[database]\nconnection = sqlite:///{tmp_path}/magnum.sqlite\n"
        "[conductor]\nworkers = 1\n"
    )
    made = environment.run(BOTH, "magnumlite-db-manage", "--config-file", str(file), "upgrade")
    assert made.returncode == 0, made.stderr
    conductor = subprocess.Popen(
        [environment.program("magnumlite-conductor"), "--config-file", str(file)],
        env=environment.variables(BOTH),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        output = wait_for(conductor, "Drivers: ")
    finally:
        conductor.send_signal(signal.SIGTERM)
        rest, _ = conductor.communicate(timeout=90)
    assert conductor.returncode == 0, output + rest
    line = next(line for line in output.splitlines() if "Drivers: " in line)
    assert line.partition("Drivers: ")[2] == ", ".join([*CAPI_HELM, *CLUSTER_API, "simulated"])


def wait_for(process: subprocess.Popen[str], text: str) -> str:
    """Read a process's output until a line has the text."""
    assert process.stdout is not None
    selector = selectors.DefaultSelector()
    selector.register(process.stdout, selectors.EVENT_READ)
    output, deadline = "", time.monotonic() + 60
    while text not in output:
        assert time.monotonic() < deadline, output
        if selector.select(timeout=1):
            line = process.stdout.readline()
            assert line, output
            output += line
    return output


def test_magnums_own_commands_still_run(environment: Environment, tmp_path: Path) -> None:
    """Ours are beside them: no entry point, script or option of ours may break them."""
    listed = environment.run(BOTH, "magnum-driver-manage", "list-drivers", "--details")
    assert listed.returncode == 0, listed.stderr
    for name in [*CAPI_HELM, *CLUSTER_API, "simulated"]:
        assert f" {name} " in listed.stdout
    file = tmp_path / "magnum.conf"
    file.write_text(f"[database]\nconnection = sqlite:///{tmp_path}/magnum.sqlite\n")
    version = environment.run(BOTH, "magnum-db-manage", "--config-file", str(file), "version")
    assert version.returncode == 0, version.stderr
    checked = environment.run(BOTH, "magnum-status", "upgrade", "check")
    assert "Upgrade Check Results" in checked.stdout, checked.stderr
    for script in ("magnum-api", "magnum-conductor"):
        told = environment.run(BOTH, script, "--version")
        assert (told.returncode, told.stdout.strip()) == (0, "23.0.0"), told.stderr


def test_magnums_own_driver_registry_lists_ours_too(environment: Environment) -> None:
    """Templates for the simulated driver pass magnum-api's checks."""
    done = environment.run(
        BOTH,
        "python",
        "-c",
        "from magnum.drivers.common.driver import Driver\n"
        "found = Driver.get_driver('', '', '', 'simulated')\n"
        "found.validate_master_size(3)\n"
        "print(isinstance(found, Driver), found.provides)\n",
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("True [{'server_type': 'vm'")


def test_its_own_tests_pass(environment: Environment, tmp_path: Path) -> None:
    """magnum-capi-helm's wheel holds 175 tests; on magnum 23.0.0 all of them pass."""
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    report = tmp_path / "report.xml"
    done = environment.run(
        ["capi-helm"],
        "python",
        *("-m", "pytest", "-p", "alias_plugin", "-p", "no:cacheprovider", "-q"),
        *("-c", str(tmp_path / "pytest.ini"), f"--junitxml={report}"),
        str(environment.driver("capi-helm") / "magnum_capi_helm" / "tests"),
        path=[Path(__file__).parent],
    )
    result = ElementTree.parse(report).getroot()[0].attrib
    assert [result[name] for name in ("tests", "failures", "errors", "skipped")] == [
        "175", "0", "0", "0",
    ], done.stdout[-5000:]  # fmt: skip
