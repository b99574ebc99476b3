import pathlib
from collections.abc import Iterator

import pytest
from oslo_config import cfg

from magnumlite import conf as options
from magnumlite import context, exception, policy


@pytest.fixture(autouse=True)
def no_enforcer() -> Iterator[None]:
    policy._ENFORCER = None
    yield
    policy._ENFORCER = None


def test_role_makes_an_admin(conf: cfg.ConfigOpts) -> None:
    assert context.RequestContext(roles=["admin"]).is_admin
    assert not context.RequestContext(roles=["member"]).is_admin


def test_policy_file_says_who_is_an_admin(tmp_path: pathlib.Path) -> None:
    (tmp_path / "policy.yaml").write_text("context_is_admin: role:chief\n")
    config = tmp_path / "magnum.conf"
    config.write_text("[oslo_policy]\npolicy_file = policy.yaml\n")
    options.parse(["--config-file", str(config)])
    assert context.RequestContext(roles=["chief"]).is_admin
    assert not context.RequestContext(roles=["admin"]).is_admin
    options.CONF.clear()


def test_rule_holds_before_the_configuration_is_read() -> None:
    options.CONF.clear()
    assert context.RequestContext(roles=["admin"]).is_admin
    assert policy._ENFORCER is None


def test_enforce(conf: cfg.ConfigOpts) -> None:
    policy.init(rules={"cluster:own": "project_id:%(project_id)s"})
    ctx = context.RequestContext(project_id="p", is_admin=False)
    assert policy.enforce(ctx, "context_is_admin", do_raise=False) is False
    with pytest.raises(exception.PolicyNotAuthorized, match="context_is_admin"):
        policy.enforce(ctx, "context_is_admin")
    with pytest.raises(exception.Conflict, match="why"):
        policy.enforce(ctx, "context_is_admin", None, True, exception.Conflict, "why")
    assert policy.enforce(context.make_admin_context(), "context_is_admin", do_raise=False) is False


def test_second_caller_gets_the_first_ones_enforcer(conf: cfg.ConfigOpts) -> None:
    assert policy.init() is policy.init() is policy._ENFORCER
