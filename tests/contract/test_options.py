"""magnum's options are there under the same group, name, type and default (options.json)."""

import json
import pathlib
from typing import Any

import pytest
from oslo_config import cfg

from magnumlite import conf as options

FACTS = json.loads((pathlib.Path(__file__).parent / "data" / "options.json").read_text())
# keystoneauth registers these when the plugin is loaded, here as there.
OF_PLUGIN = {name for name in FACTS if name.startswith("keystone_auth.")} - {
    f"keystone_auth.{name}"
    for name in (
        "auth_section",
        "auth_type",
        "cafile",
        "certfile",
        "collect_timing",
        "insecure",
        "keyfile",
        "split_loggers",
        "timeout",
        "tls_ciphers",
        "tls_min_version",
    )
}
# docs/differences.md tells why; the directory is that of the package.
OTHER_DEFAULT = {"DEFAULT.host", "DEFAULT.pybasedir"}


def registered(name: str) -> tuple[cfg.Opt, Any]:
    group, _, option = name.partition(".")
    info = options.CONF._get_opt_info(option, None if group == "DEFAULT" else group)
    return info["opt"], info.get("default", info["opt"].default)


@pytest.mark.parametrize("name", sorted(FACTS.keys() - OF_PLUGIN))
def test_option_is_magnums(name: str) -> None:
    opt, default = registered(name)
    facts = FACTS[name]
    group, _, option = name.partition(".")
    if name not in OTHER_DEFAULT:
        assert default == facts["default"]
    assert type(opt).__name__ == facts["opt_class"]
    assert (opt.secret, opt.required) == (facts["secret"], facts["required"])
    for limit in ("max", "choices"):
        if facts.get(limit) is not None:
            found = getattr(opt.type, limit)
            assert (list(found) if limit == "choices" else found) == facts[limit]
    if "item_choices" in facts:
        assert list(opt.type.item_type.choices) == facts["item_choices"]
    old = {f"{old.group or group}.{old.name or option}" for old in opt.deprecated_opts}
    assert old == set(facts["deprecated"])


def test_nothing_of_magnums_gets_a_new_limit() -> None:
    # What magnum accepts in a file must be accepted here; it cannot run a negative number of
    # workers, and api.port has its limits there too.
    limited = [
        name
        for name in FACTS.keys() - OF_PLUGIN
        if not name.startswith("database.")
        and name not in ("api.port", "conductor.workers")
        and getattr(registered(name)[0].type, "min", None) is not None
    ]
    assert limited == []
