"""What a context may do, by oslo.policy's rules.

The conductor itself asks one rule, `context_is_admin`; magnum-api checks the others.
"""

import threading
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from oslo_config import cfg
from oslo_policy import policy

from magnumlite import exception

if TYPE_CHECKING:
    from magnumlite.context import RequestContext

RULES = [
    policy.RuleDefault(
        "context_is_admin", "role:admin", description="Who sees and changes every project's."
    )
]

_ENFORCER: policy.Enforcer | None = None
_lock = threading.Lock()


def list_rules() -> list[policy.RuleDefault]:
    """Return the rules asked here, for oslo.policy's generators."""
    return RULES


def init(
    policy_file: str | None = None,
    rules: Mapping[str, Any] | None = None,
    default_rule: str | None = None,
    use_conf: bool = True,
) -> policy.Enforcer:
    """Return the process's enforcer; the first caller's arguments make it.

    `use_conf` False reads no policy file. While CONF is not parsed there is none to read:
    the rules above hold, and the enforcer returned is not kept.
    """
    global _ENFORCER
    with _lock:
        if _ENFORCER is not None:
            return _ENFORCER
        read_files = use_conf and _parsed()
        enforcer = policy.Enforcer(
            cfg.CONF, policy_file=policy_file, default_rule=default_rule, use_conf=read_files
        )
        enforcer.register_defaults(RULES)
        if rules is not None or not read_files:
            defaults = {rule.name: rule.check for rule in RULES}
            enforcer.set_rules({**defaults, **(rules or {})}, use_conf=read_files)
        if _parsed():
            _ENFORCER = enforcer
        return enforcer


def _parsed() -> bool:
    try:
        cfg.CONF.find_file("")
    except cfg.NotInitializedError:
        return False
    return True


def check_is_admin(context: "RequestContext") -> bool:
    """Tell whether the rule `context_is_admin` holds for `context`."""
    return bool(init().authorize("context_is_admin", _target(context), context.to_policy_values()))


def enforce(
    context: "RequestContext",
    rule: str,
    target: Mapping[str, Any] | None = None,
    do_raise: bool = True,
    exc: type[Exception] | None = None,
    *args: Any,
    **kwargs: Any,
) -> bool:
    """Tell whether `rule` lets `context` act on `target`: its own project, if none is given.

    Raises: `exc(*args, **kwargs)`, or PolicyNotAuthorized without one, when it does not and
    `do_raise` is true.
    """
    allowed = bool(
        init().enforce(
            rule, dict(target) if target else _target(context), context.to_policy_values()
        )
    )
    if not allowed and do_raise:
        raise exc(*args, **kwargs) if exc else exception.PolicyNotAuthorized(action=rule)
    return allowed


def _target(context: "RequestContext") -> dict[str, str | None]:
    return {"project_id": context.project_id, "user_id": context.user_id}
