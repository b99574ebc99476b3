"""The context on the wire is magnum's (contract/rpc.json)."""

import json
import pathlib
from typing import Any

import pytest

from magnumlite import context

FACTS = json.loads((pathlib.Path(__file__).parent / "data" / "context.json").read_text())
EVERY_KEY = FACTS["to_dict_example (every keyword given)"]


def without_request_id(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "request_id"}


def test_every_keyword() -> None:
    ctx = context.RequestContext(
        auth_token="tok",
        auth_url="http://k",
        domain_id="d",
        domain_name="dn",
        user_name="un",
        user_id="u",
        user_domain_name="udn",
        user_domain_id="ud",
        project_name="pn",
        project_id="p",
        roles=["member"],
        is_admin=False,
        request_id="req-1",
        auth_token_info={"t": 1},
        all_tenants=True,
    )
    assert ctx.to_dict() == EVERY_KEY
    assert sorted(ctx.to_dict()) == FACTS["to_dict_keys"]


def test_round_trip() -> None:
    assert context.RequestContext.from_dict(EVERY_KEY).to_dict() == EVERY_KEY


def test_admin_contexts() -> None:
    made = context.make_admin_context(all_tenants=True).to_dict()
    key = "admin_context_to_dict (make_admin_context(all_tenants=True))"
    assert without_request_id(made) == without_request_id(FACTS[key])
    made = context.get_admin_context().to_dict()
    assert without_request_id(made) == without_request_id(FACTS["get_admin_context_to_dict"])


@pytest.mark.parametrize(
    ("values", "is_admin"),
    [
        ({}, False),
        ({"roles": ["admin"]}, True),
        ({"roles": ["admin"], "is_admin": False}, False),
        ({"is_admin": True}, True),
        ({"trace_info": {}, "unknown": 1}, False),
    ],
)
def test_every_key_is_optional(values: dict[str, Any], is_admin: bool) -> None:
    ctx = context.RequestContext.from_dict(values)
    assert ctx.is_admin is is_admin
    assert sorted(ctx.to_dict()) == FACTS["to_dict_keys"]
