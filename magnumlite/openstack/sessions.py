"""Sessions with Keystone: who a context authenticates as, and what failed when it cannot.

openstacksdk and keystoneauth are an extra, magnumlite[openstack]: they are imported when the
first client is made, so that a conductor whose drivers need no OpenStack runs without them.
"""

import contextlib
import hashlib
import importlib
import os
import threading
from collections.abc import Iterator
from typing import Any

import cachetools
import requests
from oslo_config import cfg

from magnumlite import exception
from magnumlite.conf import CONF
from magnumlite.i18n import _

GROUP = "keystone_auth"

_KEPT_MAX = 64

_lock = threading.Lock()
_kept: "cachetools.LRUCache[str, Access]" = cachetools.LRUCache(_KEPT_MAX)
_transport: requests.Session | None = None


class Access:
    """The cloud as one identity sees it: a keystoneauth session and openstacksdk's proxies."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self._proxies: dict[tuple[str | None, ...], Any] = {}

    def proxy(
        self,
        client: str,
        service_type: str,
        interface: str | None = None,
        region_name: str | None = None,
    ) -> Any:
        """Return the proxy of a service, at the endpoint the catalogue has for that interface.

        `client` is the service's name in error texts. Without an interface the SDK chooses.

        Raises:
            AuthorizationFailure: as telling().
        """
        from openstack import connection

        key = (service_type, interface, region_name)
        if key not in self._proxies:
            name = service_type.replace("-", "_")
            override: dict[str, Any] = {}
            with telling(client):
                if interface:
                    override[f"{name}_endpoint_override"] = self.session.get_endpoint(
                        service_type=service_type, interface=interface, region_name=region_name
                    )
                proxy = getattr(connection.Connection(session=self.session, **override), name)
            self._proxies.setdefault(key, proxy)
        return self._proxies[key]


def access(context: Any) -> Access:
    """Return the access of a context; contexts with the same token share one.

    It authenticates as the token's owner when the context has a token, else, for an admin
    context, as the user of [keystone_auth]. Nothing is sent yet. All sessions of a process
    share their connections, and no request waits longer than [keystone_auth]timeout, or
    [openstack]request_timeout when that is not set.

    Raises:
        AuthorizationFailure: the context has no token and is not an admin's, or the options of
            [keystone_auth] do not make a session.
    """
    key = _key(context)
    with _lock:
        found = _kept.get(key)
    if found is None:
        found = Access(_session(_auth(context)))
        with _lock:
            found = _kept.setdefault(key, found)
    return found


def auth_url() -> str:
    """Return Keystone's URL: [keystone_auth]auth_url, else what keystonemiddleware is told.

    Raises:
        AuthorizationFailure: neither is set.
    """
    _require()
    url = getattr(_section(), "auth_url", None)
    if not url:
        with contextlib.suppress(cfg.NoSuchOptError, cfg.NoSuchGroupError):
            url = CONF.keystone_authtoken.www_authenticate_uri
    if not url:
        raise exception.AuthorizationFailure(
            client="keystone", message=_("[keystone_auth]auth_url is not set")
        )
    return str(url)


@contextlib.contextmanager
def telling(client: str) -> Iterator[None]:
    """Turn errors of keystoneauth into an AuthorizationFailure that tells what is wrong.

    Wrong credentials, a Keystone that cannot be reached and a service that is not in the
    catalogue need different people to act.

    Raises:
        AuthorizationFailure: `client` and the cause are in its text.
    """
    _require()
    from keystoneauth1 import exceptions as ks

    try:
        yield
    except (ks.Unauthorized, ks.AuthorizationFailure, ks.Forbidden) as error:
        what = _("Keystone refused the credentials: %s") % error
        raise exception.AuthorizationFailure(client=client, message=f"{client}: {what}") from error
    except (ks.EndpointNotFound, ks.EmptyCatalog) as error:
        what = _("the service catalogue lacks it: %s") % error
        raise exception.AuthorizationFailure(client=client, message=f"{client}: {what}") from error
    except (ks.ConnectionError, ks.DiscoveryFailure) as error:
        what = _("Keystone cannot be reached: %s") % error
        raise exception.AuthorizationFailure(client=client, message=f"{client}: {what}") from error
    except ks.ClientException as error:
        raise exception.AuthorizationFailure(
            client=client, message=f"{client}: {type(error).__name__}: {error}"
        ) from error


def _key(context: Any) -> str:
    """Name the session of a context without keeping its secrets."""
    if context.auth_token or context.auth_token_info:
        who: tuple[Any, ...] = (context.auth_token, repr(context.auth_token_info))
    else:
        _require()
        who = (bool(context.is_admin), sorted(map(repr, _section().items())))
    return hashlib.sha256(repr(who).encode()).hexdigest()


def _auth(context: Any) -> Any:
    _require()
    from keystoneauth1 import access, identity, loading
    from keystoneauth1.exceptions import auth_plugins
    from keystoneauth1.identity.access import AccessInfoPlugin

    if context.auth_token_info:
        return AccessInfoPlugin(
            access.create(body=context.auth_token_info, auth_token=context.auth_token),
            auth_url=auth_url(),
        )
    if context.auth_token:
        return identity.v3.Token(auth_url=auth_url(), token=context.auth_token)
    if context.is_admin:
        try:
            return loading.load_auth_from_conf_options(CONF, GROUP)
        except auth_plugins.MissingRequiredOptions as error:
            raise exception.AuthorizationFailure(
                client="keystone", message=_("[keystone_auth] is incomplete: %s") % error
            ) from error
    raise exception.AuthorizationFailure(
        client="keystone", message=_("the request has neither a token nor an admin's rights")
    )


def _session(auth: Any) -> Any:
    from keystoneauth1 import session

    options = CONF[GROUP]
    timeout = options.timeout if options.timeout is not None else CONF.openstack.request_timeout
    verify = False if options.insecure else options.cafile or True
    cert = (options.certfile, options.keyfile) if options.keyfile else options.certfile
    return session.Session(
        auth=auth,
        session=_connections(),
        verify=verify,
        cert=cert,
        timeout=timeout,
        split_loggers=options.split_loggers,
        collect_timing=options.collect_timing,
    )


def _connections() -> requests.Session:
    """One pool of connections a process, however many sessions there are."""
    global _transport
    from keystoneauth1 import session

    with _lock:
        if _transport is None:
            _transport = requests.Session()
            for scheme in ("http://", "https://"):
                _transport.mount(scheme, session.TCPKeepAliveAdapter(pool_maxsize=_KEPT_MAX))
        return _transport


def _section() -> Any:
    """Return the options of the auth plugin: [keystone_auth], or the group its auth_section names.

    keystoneauth registers a plugin's options when it loads the plugin; here they are needed first.
    """
    from keystoneauth1 import loading

    name = CONF[GROUP].auth_section or GROUP
    loading.register_auth_conf_options(CONF, name)
    for option in loading.get_auth_plugin_conf_options(CONF[name].auth_type or "password"):
        CONF.register_opt(option, group=name)
        if option.required:
            # Else a later reload of the configuration fails for who does not use Keystone.
            CONF.set_default(option.dest, option.default, group=name)
    return CONF[name]


def _require() -> None:
    try:
        for package in ("keystoneauth1", "openstack"):
            importlib.import_module(package)
    except ImportError as error:
        raise exception.AuthorizationFailure(
            client="openstack",
            message=_("OpenStack clients need the packages of magnumlite[openstack]: %s") % error,
        ) from error


def forget() -> None:
    """Drop all that is kept; new sessions are made when they are asked for."""
    global _transport
    with _lock:
        _kept.clear()
        _transport = None


def _forked() -> None:
    """Drop what the other process has, without waiting for a lock that one of its threads held."""
    global _lock, _kept, _transport
    _lock = threading.Lock()
    _kept = cachetools.LRUCache(_KEPT_MAX)
    _transport = None


os.register_at_fork(after_in_child=_forked)
