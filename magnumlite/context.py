"""Who asks, for which project and with which rights: the context of every request and job."""

import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from oslo_context import context as oslo_context
from oslo_db.sqlalchemy import enginefacade

from magnumlite import policy

_store = threading.local()


@enginefacade.transaction_context_provider
class RequestContext(oslo_context.RequestContext):
    """magnum's request context, as it crosses the wire (contract/rpc.json `context`).

    `is_admin` None asks the policy rule `context_is_admin`; a boolean is taken as given.
    `domain_id`, `domain_name` and keys that are not known are accepted and dropped, as
    magnum drops them; `global_request_id` is kept, so that logs can be joined.
    `magnumlite_operation` is the UUID of an operation that is cast again: only then is it
    in to_dict(), and magnum's own conductor would ignore it.
    `overwrite` False leaves the thread's current context (the one logs show) alone.
    """

    def __init__(
        self,
        auth_token: str | None = None,
        auth_url: str | None = None,
        domain_id: str | None = None,
        domain_name: str | None = None,
        user_name: str | None = None,
        user_id: str | None = None,
        user_domain_name: str | None = None,
        user_domain_id: str | None = None,
        project_name: str | None = None,
        project_id: str | None = None,
        roles: list[str] | None = None,
        is_admin: bool | None = None,
        read_only: bool = False,
        show_deleted: bool = False,
        request_id: str | None = None,
        auth_token_info: dict[str, Any] | None = None,
        all_tenants: bool = False,
        magnumlite_operation: str | None = None,
        overwrite: bool = True,
        global_request_id: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(
            auth_token=auth_token,
            user_id=user_id,
            user_name=user_name,
            user_domain_id=user_domain_id,
            user_domain_name=user_domain_name,
            project_id=project_id,
            project_name=project_name,
            roles=roles,
            is_admin=is_admin,
            read_only=read_only,
            show_deleted=show_deleted,
            request_id=request_id,
            global_request_id=global_request_id,
            overwrite=overwrite,
        )
        self.auth_url = auth_url
        self.auth_token_info = auth_token_info
        self.all_tenants = all_tenants
        self.magnumlite_operation = magnumlite_operation
        if is_admin is None:
            self.is_admin = policy.check_is_admin(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the context as it is sent: plain values under the contract's 25 keys."""
        values: dict[str, Any] = super().to_dict()
        values.update(
            auth_url=self.auth_url,
            user_domain_id=self.user_domain_id,
            user_domain_name=self.user_domain_name,
            user_name=self.user_name,
            user_id=self.user_id,
            project_name=self.project_name,
            auth_token_info=self.auth_token_info,
            all_tenants=self.all_tenants,
        )
        if self.magnumlite_operation:
            values["magnumlite_operation"] = self.magnumlite_operation
        return values

    def redacted_copy(self, **kwargs: Any) -> "RequestContext":
        """Return a copy without secrets, for notifications; logs keep naming this context."""
        copy: RequestContext = super().redacted_copy(**{"overwrite": False, **kwargs})
        return copy

    @classmethod
    def from_dict(cls, values: Mapping[str, Any], **kwargs: Any) -> "RequestContext":
        """Return the context that `values` of to_dict() describe; every key is optional."""
        return cls(**{**values, **kwargs})


def make_context(*args: Any, **kwargs: Any) -> RequestContext:
    """Return RequestContext(*args, **kwargs)."""
    return RequestContext(*args, **kwargs)


def make_admin_context(show_deleted: bool = False, all_tenants: bool = False) -> RequestContext:
    """Return an administrator's context without user and project.

    It does not replace the thread's current context: logs keep naming the request.
    """
    return RequestContext(
        is_admin=True, show_deleted=show_deleted, all_tenants=all_tenants, overwrite=False
    )


def get_admin_context(read_deleted: str = "no") -> RequestContext:
    """Return make_admin_context(); `read_deleted` has no effect, as in magnum."""
    return make_admin_context()


def has_ctx() -> bool:
    """Tell whether this thread has a context that set_ctx gave it."""
    return getattr(_store, "context", None) is not None


def ctx() -> RequestContext:
    """Return the context that set_ctx gave this thread.

    Raises: AttributeError when there is none.
    """
    return _store.context  # type: ignore[no-any-return]


def set_ctx(new_ctx: RequestContext | None) -> None:
    """Make `new_ctx` the thread's context, for ctx() and for logs; None: there is none."""
    if new_ctx is None:
        _store.__dict__.pop("context", None)
        _show_in_logs(None)
        return
    _store.context = new_ctx
    new_ctx.update_store()


@contextmanager
def using(new_ctx: RequestContext) -> Iterator[RequestContext]:
    """Make `new_ctx` the thread's context inside, and put back what was there after it."""
    before, shown = getattr(_store, "context", None), oslo_context.get_current()
    set_ctx(new_ctx)
    try:
        yield new_ctx
    finally:
        set_ctx(before)
        _show_in_logs(shown)


def _show_in_logs(context: oslo_context.RequestContext | None) -> None:
    """Make `context` the one that oslo.log names in this thread's lines."""
    if context is not None:
        context.update_store()
    elif oslo_context.get_current() is not None:
        del oslo_context._request_store.context
