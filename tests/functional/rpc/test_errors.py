"""Whatever a handler raises reaches its caller over a real RabbitMQ (B66)."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

import oslo_messaging
import pytest
from oslo_versionedobjects import exception as ovo_exc

from magnumlite import exception
from magnumlite.rpc import server, transport

CLASSES = {
    name: cls
    for name, cls in vars(exception).items()
    if isinstance(cls, type) and issubclass(cls, exception.MagnumException)
}


class Odd:
    """Neither text nor JSON can be had from it."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class DriverError(exception.OperationInProgress):
    """Of a driver's package: magnum-api does not know it."""


class Teapot(exception.MagnumException):
    """Of a driver's package, with a code that none of its ancestors has."""

    code = 409


class Speechless(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def odd_arguments() -> dict[str, Any]:
    loop: dict[str, Any] = {}
    loop["loop"] = [loop]
    return {"odd": Odd(), "loop": loop, "raw": b"\xff\x00", "cls": Odd, 1: {2, 3}}  # type: ignore[dict-item]


ERRORS: dict[str, Callable[[], Exception]] = {
    "driver": lambda: DriverError("the stack is busy", stack=Odd()),
    "teapot": lambda: Teapot("short and stout"),
    "percent": lambda: exception.NotSupported("100% %(sure)s"),
    "builtin": lambda: RuntimeError("boom"),
    "several": lambda: RuntimeError(Odd(), b"\xff"),
    "key": lambda: KeyError({1: Odd()}),
    "group": lambda: ExceptionGroup("several", [ValueError("one")]),
    "foreign": lambda: Speechless(Odd()),
    "versions": lambda: ovo_exc.UnsupportedObjectError(objtype="Bay"),
}


class Raiser:
    """Raises what it is asked to."""

    def fail(self, context: Any, what: str) -> None:
        if what in CLASSES:
            error = CLASSES[what]("text")
            error.kwargs |= odd_arguments()
            raise error
        try:
            raise KeyError("the cause")
        except KeyError as cause:
            raise ERRORS[what]() from cause


@pytest.fixture(scope="module")
def fail(rabbit_url: str) -> Iterator[Callable[[str], Exception]]:
    """Ask the server to raise something and return what a caller like magnum-api gets."""
    from tests.conftest import options_at_defaults

    with options_at_defaults() as conf, pytest.MonkeyPatch.context() as patch:
        transport.cleanup()
        conf.set_override("transport_url", rabbit_url)
        conf.set_override("topic", "errors", "conductor")
        for name in ("magnum", "magnum.common", exception.WIRE_MODULE):
            patch.setitem(sys.modules, name, exception)
        serving = server.get_server("errors.0", [Raiser()])
        serving.start()
        target = oslo_messaging.Target(topic="errors")
        client = oslo_messaging.get_rpc_client(transport.rpc(), target, timeout=30)

        def ask(what: str) -> Exception:
            with pytest.raises(Exception) as raised:  # noqa: PT011
                client.call({}, "fail", what=what)
            return raised.value

        yield ask
        serving.close()
        serving.finish()
        transport.cleanup()


@pytest.mark.parametrize("name", CLASSES)
def test_every_class_arrives_with_text_and_code(
    fail: Callable[[str], Exception], name: str
) -> None:
    error = fail(name)
    known = getattr(exception, CLASSES[name].__name__)  # ours bear the name of one that is known
    assert isinstance(error, known)
    assert error.format_message() == "text"
    assert (error.code, error.kwargs["code"]) == (known.code, known.code)
    assert error.kwargs["raw"] == "\ufffd\x00"


@pytest.mark.parametrize(
    ("what", "known", "text"),
    [
        ("driver", exception.OperationInProgress, "the stack is busy"),
        ("teapot", exception.Conflict, "short and stout"),
        ("percent", exception.NotSupported, "100% %(sure)s"),
        ("builtin", RuntimeError, None),
        ("several", RuntimeError, None),
        ("key", KeyError, None),
    ],
)
def test_what_others_derive_arrives_as_what_the_caller_knows(
    fail: Callable[[str], Exception], what: str, known: type[Exception], text: str | None
) -> None:
    error = fail(what)
    assert isinstance(error, known)
    if isinstance(error, exception.MagnumException):
        assert error.format_message() == text
        assert error.code == ERRORS[what]().code  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("what", "name", "text"),
    [
        ("group", "ExceptionGroup", "several (1 sub-exception)"),
        ("foreign", "Speechless", "<Speechless>"),
        ("versions", "UnsupportedObjectError", "Unsupported object type Bay"),
    ],
)
def test_what_the_caller_cannot_build_arrives_by_name(
    fail: Callable[[str], Exception], what: str, name: str, text: str
) -> None:
    error = fail(what)
    assert isinstance(error, oslo_messaging.RemoteError)
    assert (error.exc_type, error.value) == (name, text)


@pytest.mark.parametrize("what", [*ERRORS, "Conflict"])
def test_no_user_of_the_api_sees_a_traceback_or_the_cause(
    fail: Callable[[str], Exception], what: str
) -> None:
    text = str(fail(what))
    assert "the cause" not in text
    shown, _, _ = text.partition("\nTraceback")  # magnum-api cuts it there
    assert "Traceback" not in shown
    assert __file__ not in shown
    if what in ("driver", "builtin", "Conflict"):
        assert "\n" not in shown


@pytest.mark.parametrize(
    ("what", "traced"),
    [("Conflict", False), ("driver", False), ("versions", False), ("builtin", True)],
)
def test_only_what_nobody_expects_leaves_a_traceback_in_the_log(
    fail: Callable[[str], Exception], what: str, traced: bool, caplog: pytest.LogCaptureFixture
) -> None:
    fail(what)
    records = [r for r in caplog.records if r.name == "magnumlite.rpc.server"]
    assert len(records) == 1
    assert bool(records[0].exc_info) is traced
