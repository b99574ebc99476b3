"""Who asks the sandbox's conductor for things."""

from __future__ import annotations

from magnumlite import exception
from magnumlite.context import RequestContext, make_admin_context
from magnumlite.openstack import keystone, sessions

_PROJECT = "5a9d0b0c0c0e4d0f8a1b2c3d4e5f6071"
_USER = "6b8e1c1d1d1f4e109b2c3d4e5f607182"


def request() -> RequestContext:
    """Return the context of a new request.

    By the user of [keystone_auth] with a token of his, for drivers that use OpenStack; without
    such a user by nobody in particular.

    Raises:
        AuthorizationFailure: Keystone does not give the token.
    """
    try:
        url = sessions.auth_url()
    except exception.AuthorizationFailure:
        return RequestContext(user_id=_USER, project_id=_PROJECT, is_admin=False, overwrite=False)
    client = keystone.KeystoneClientV3(make_admin_context())
    with sessions.telling("keystone"):
        return RequestContext(
            auth_token=client.auth_token,
            auth_url=url,
            user_id=client.session.get_user_id(),
            project_id=client.session.get_project_id(),
            is_admin=False,
            overwrite=False,
        )
