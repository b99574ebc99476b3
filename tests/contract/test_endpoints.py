"""The methods that magnum-api calls, with magnum's parameters, and what our client sends."""

import importlib
import inspect
import json
import pathlib
import pkgutil
from typing import Any

import pytest

from magnumlite.conductor import handlers
from magnumlite.rpc.client import API, ListenerAPI

FACTS = json.loads((pathlib.Path(__file__).parent / "data" / "endpoints.json").read_text())


def endpoints() -> dict[str, dict[str, Any]]:
    """Parameters, and their defaults, of every public method of every handler."""
    found = {}
    for info in pkgutil.iter_modules(handlers.__path__):
        module = importlib.import_module(f"{handlers.__name__}.{info.name}")
        for _, kind in inspect.getmembers(module, inspect.isclass):
            if kind.__module__ == module.__name__:
                for name, method in inspect.getmembers(kind, inspect.isfunction):
                    if not name.startswith("_"):
                        found[name] = parameters(method)
    return found


def parameters(method: Any) -> dict[str, Any]:
    given = list(inspect.signature(method).parameters.values())
    assert [p.name for p in given[:2]] == ["self", "context"]
    return {p.name: "<required>" if p.default is p.empty else p.default for p in given[2:]}


def test_endpoints_are_magnums() -> None:
    assert endpoints() == {name: facts["parameters"] for name, facts in FACTS["endpoints"].items()}


@pytest.mark.parametrize("name", FACTS["sent"])
def test_our_client_sends_what_magnums_sends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[str, str, list[str]]] = []

    class Client:
        def __getattr__(self, how: str) -> Any:
            return lambda context, method, **kwargs: sent.append((how, method, list(kwargs)))

    monkeypatch.setattr(API, "__init__", lambda self: None)
    api = ListenerAPI()
    api._client, api._context = Client(), {}
    method = getattr(api, name)
    required = [p for p in inspect.signature(method).parameters.values() if p.default is p.empty]
    method(*(None for _ in required))
    facts = FACTS["sent"][name]
    called = name.removesuffix("_async")
    assert sent == [(facts["how"], called, facts["kwargs_sent"])]
