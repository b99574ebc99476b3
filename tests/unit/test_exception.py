import json
import sys
from typing import Any

import pytest
from oslo_messaging._drivers import common as messaging

from magnumlite import exception

CLASSES = [
    cls
    for cls in vars(exception).values()
    if isinstance(cls, type) and issubclass(cls, exception.MagnumException)
]
OURS = [cls for cls in CLASSES if cls.__name__ != cls.__qualname__]


class Odd:
    """Neither text nor JSON can be had from it."""

    def __str__(self) -> str:
        raise RuntimeError("no text")


class ToldAs:
    def __str__(self) -> str:
        return "odd but told"


def over_the_wire(error: Exception, monkeypatch: pytest.MonkeyPatch) -> Exception:
    """Return what a caller's oslo.messaging makes of an error that a handler raised."""
    for name in ("magnum", "magnum.common", exception.WIRE_MODULE):
        monkeypatch.setitem(sys.modules, name, exception)
    sent = exception.for_wire(error)
    data = messaging.serialize_remote_exception((type(sent), sent, sent.__traceback__))
    return messaging.deserialize_remote_exception(data, [exception.WIRE_MODULE])


@pytest.mark.parametrize("cls", CLASSES)
def test_every_class_reaches_the_caller_with_an_odd_argument(
    cls: type[exception.MagnumException], monkeypatch: pytest.MonkeyPatch
) -> None:
    # B66
    loop: dict[str, Any] = {}
    loop["loop"] = loop
    error = cls(
        "text", odd=Odd(), told=ToldAs(), loop=loop, raw=b"\xff", nested=[{1: {2, 3}}, object]
    )
    remote = over_the_wire(error, monkeypatch)

    assert isinstance(remote, getattr(exception, cls.__name__))
    assert remote.format_message() == "text"
    assert remote.code == cls.code
    assert remote.kwargs["code"] == cls.code
    assert remote.kwargs["told"] == "odd but told"
    assert remote.kwargs["odd"] == "<Odd>"


def test_an_argument_without_a_text_leaves_the_template() -> None:
    # B66
    error = exception.ClusterNotFound(cluster=Odd())
    assert str(error) == "Cluster %(cluster)s could not be found."
    json.dumps(error.kwargs)


def test_what_is_given_as_text_need_not_be_one() -> None:
    assert exception.Invalid(ValueError("why")).args == ("why",)
    assert exception.Invalid(Odd()).args == ("<Odd>",)


def test_plain_arguments_stay_what_they_are() -> None:
    plain = {"a": 1, "b": [1.5, None, True], "c": {"d": "e"}}
    assert exception.Invalid("text", **plain).kwargs == {**plain, "code": 400}


def test_text_is_filled_before_arguments_are_made_plain() -> None:
    error = exception.InvalidCsr(csr=b"rubbish")
    assert str(error) == "Received invalid csr b'rubbish'."
    assert error.kwargs == {"csr": "rubbish", "code": 400}


def test_given_text_with_named_placeholders_is_filled() -> None:
    assert str(exception.NotSupported(message="m %(x)s", x=5)) == "m 5"


def test_given_text_with_a_bare_percent_stays() -> None:
    assert str(exception.MagnumException("100% sure, 5 %s")) == "100% sure, 5 %s"


def test_code_given_is_only_told_in_kwargs() -> None:
    error = exception.NotSupported("text", code=499)
    assert (error.code, error.kwargs["code"]) == (400, 499)


def test_unfilled_template_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    assert str(exception.ClusterNotFound()) == "Cluster %(cluster)s could not be found."
    assert "Cannot fill the text of ClusterNotFound" in caplog.text


def test_unfilled_template_raises_when_asked_to(conf: Any) -> None:
    conf.set_override("fatal_exception_format_errors", True, "oslo_versionedobjects")
    with pytest.raises(KeyError):
        exception.ClusterNotFound()


def test_text_of_an_object_error_is_whole() -> None:
    error = exception.ObjectError(action="save", obj_name="Cluster", obj_id=7, reason="stale")
    assert str(error) == "Failed to perform action save on Cluster 7: stale"


def test_our_classes_have_names_that_callers_know() -> None:
    assert {exception.ClaimLost, exception.DriverUnavailable, exception.SchemaMismatch} <= {*OURS}
    for cls in OURS:
        known = getattr(exception, cls.__name__)
        assert known not in OURS
        assert issubclass(cls, known)


def test_unavailable_driver_is_a_client_error_with_the_reason(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # B28, B69
    error = exception.DriverUnavailable(driver_name="k8s", reason="No module named 'x'")
    remote = over_the_wire(error, monkeypatch)
    assert isinstance(remote, exception.ClusterDriverNotSupported)
    assert remote.code == 400
    assert "No module named 'x'" in remote.format_message()


def test_class_defined_elsewhere_keeps_its_module() -> None:
    class DriverError(exception.Conflict):
        pass

    assert DriverError.__module__ == __name__


class DriverError(exception.NotSupported):
    """What a driver's package derives from ours."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.kwargs = {"message": text, "self": 1, "left": Odd()}


class Teapot(exception.MagnumException):
    code = 409


class Careless(exception.MagnumException):
    """Does not call our constructor."""

    code = 404

    def __init__(self, *args: Any) -> None:
        Exception.__init__(self, *args)


@pytest.mark.parametrize(
    ("error", "known"),
    [
        (DriverError("no"), exception.NotSupported),
        (Teapot("no"), exception.Conflict),
        (Careless("no"), exception.ObjectNotFound),
        (exception.ClaimLost("no"), exception.Conflict),
    ],
)
def test_class_that_peers_do_not_know_goes_as_one_that_they_know(
    error: exception.MagnumException,
    known: type[exception.MagnumException],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # B66
    remote = over_the_wire(error, monkeypatch)
    assert type(remote).__mro__[1] is known
    assert remote.format_message() == "no"
    assert remote.kwargs["code"] == remote.code == error.code


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError(object()),
        ValueError(b"\xff"),
        KeyError({1: (2, object())}),
        RuntimeError(Odd()),
        OSError(2, "gone", "name"),
        ExceptionGroup("several", [ValueError("one"), TypeError("two")]),
    ],
)
def test_builtin_error_reaches_the_caller_with_odd_arguments(
    error: Exception, monkeypatch: pytest.MonkeyPatch
) -> None:
    # B66
    remote = over_the_wire(error, monkeypatch)
    if isinstance(error, ExceptionGroup):  # its arguments are exceptions
        assert (remote.exc_type, remote.value) == ("ExceptionGroup", str(error))
    else:
        assert isinstance(remote, type(error))


class Foreign(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


def test_error_of_another_package_reaches_the_caller_by_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # B66
    remote = over_the_wire(Foreign({"x": object()}), monkeypatch)
    assert (remote.exc_type, remote.value) == ("Foreign", "<Foreign>")


@pytest.mark.parametrize("kind", [RuntimeError, KeyError, exception.Conflict, Foreign])
def test_cause_is_not_sent_and_what_follows_the_text_is_a_traceback(
    kind: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    try:
        try:
            raise LookupError("the cause")
        except LookupError as cause:
            raise kind("boom") from cause
    except kind as error:
        raised = str(over_the_wire(error, monkeypatch))
    never_raised = str(over_the_wire(kind("boom"), monkeypatch))
    for told in (raised, never_raised):
        assert "the cause" not in told
        if kind in (Foreign, KeyError):  # shown whole to users
            assert "Traceback" not in told
        else:  # shown up to the traceback
            assert told.partition("\nTraceback")[0] == "boom"


def test_cloud_errors_become_authorization_failures() -> None:
    from keystoneauth1 import exceptions as keystone
    from openstack import exceptions as sdk

    @exception.wrap_keystone_exception
    def call(error: Exception) -> None:
        raise error

    for cause in (
        keystone.AuthorizationFailure("a"),
        keystone.ConnectFailure("b"),
        sdk.SDKException("c"),
    ):
        with pytest.raises(exception.AuthorizationFailure, match="call failed") as raised:
            call(cause)
        assert raised.value.__cause__ is cause
        assert raised.value.kwargs["client"] == "call"
    with pytest.raises(ValueError, match="other"):
        call(ValueError("other"))
