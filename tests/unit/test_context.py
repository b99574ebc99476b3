import contextlib
import threading

import pytest
from oslo_context import context as oslo_context

from magnumlite import context


@pytest.fixture(autouse=True)
def no_context() -> None:
    context.set_ctx(None)


def test_operation_that_is_cast_again_keeps_its_uuid() -> None:
    sent = context.RequestContext(is_admin=False, magnumlite_operation="o-1").to_dict()
    assert sent["magnumlite_operation"] == "o-1"
    assert context.RequestContext.from_dict(sent).magnumlite_operation == "o-1"


def test_global_request_id_is_kept() -> None:
    sent = context.RequestContext(is_admin=False, global_request_id="req-g").to_dict()
    assert context.RequestContext.from_dict(sent).global_request_id == "req-g"


def test_thread_has_the_context_it_was_given() -> None:
    ctx = context.RequestContext(is_admin=False)
    assert not context.has_ctx()
    context.set_ctx(ctx)
    assert context.has_ctx()
    assert context.ctx() is ctx
    assert oslo_context.get_current() is ctx

    others: list[bool] = []
    thread = threading.Thread(target=lambda: others.append(context.has_ctx()))
    thread.start()
    thread.join()
    assert others == [False]

    context.set_ctx(None)
    assert oslo_context.get_current() is None
    with pytest.raises(AttributeError):
        context.ctx()


def test_using_puts_back_what_was_there_also_after_an_error() -> None:
    outer, inner = context.RequestContext(is_admin=False), context.RequestContext(is_admin=False)
    context.set_ctx(outer)
    with contextlib.suppress(RuntimeError), context.using(inner):
        assert context.ctx() is inner
        assert oslo_context.get_current() is inner
        raise RuntimeError
    assert context.ctx() is outer
    assert oslo_context.get_current() is outer


def test_using_leaves_nothing_where_nothing_was() -> None:
    with context.using(context.make_admin_context()):
        assert context.has_ctx()
    assert not context.has_ctx()


def test_admin_context_made_during_a_request_does_not_replace_it_in_logs() -> None:
    request = context.RequestContext(is_admin=False)
    context.make_admin_context()
    context.get_admin_context()
    assert oslo_context.get_current() is request


def test_copy_for_notifications_has_no_secrets_and_does_not_replace_the_context() -> None:
    request = context.RequestContext(
        auth_token="t", auth_token_info={"t": 1}, user_id="u", project_id="p", is_admin=False
    )
    copy = request.redacted_copy()
    assert (copy.auth_token, copy.auth_token_info) == (None, None)
    assert (copy.user_id, copy.project_id, copy.request_id) == ("u", "p", request.request_id)
    assert oslo_context.get_current() is request
