"""Who a context authenticates as, what is kept, and which error tells what."""

import os
import signal
import time

import pytest
from oslo_config import cfg

from magnumlite import context as magnum_context
from magnumlite import exception
from magnumlite.openstack import sessions
from magnumlite.openstack.clients import OpenStackClients
from tests.servers.keystone import PROJECT_ID, USER_ID, Keystone


def tenant(token: str, **kwargs: object) -> magnum_context.RequestContext:
    return magnum_context.RequestContext(
        auth_token=token, project_id=PROJECT_ID, user_id=USER_ID, is_admin=False, **kwargs
    )


def admin() -> magnum_context.RequestContext:
    return magnum_context.make_admin_context()


def test_an_admin_without_a_token_is_the_user_of_keystone_auth(cloud: Keystone) -> None:
    session = OpenStackClients(admin()).keystone().session
    assert session.get_user_id() == USER_ID
    assert session.get_project_id() == PROJECT_ID


def test_a_token_goes_before_the_rights_of_an_admin(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("password", "wrong", "keystone_auth")
    context = magnum_context.RequestContext(auth_token=cloud.issue(), is_admin=True)
    assert OpenStackClients(context).keystone().session.get_user_id() == USER_ID


def test_what_the_api_knows_of_a_token_saves_asking_for_it(cloud: Keystone) -> None:
    token = cloud.issue()
    context = tenant(token, auth_token_info=cloud.token_body())
    keystone = OpenStackClients(context).keystone()
    assert keystone.auth_token == token
    assert keystone.session.get_user_id() == USER_ID
    assert cloud.requests == []


def test_a_context_with_neither_token_nor_rights_is_refused(cloud: Keystone) -> None:
    nobody = magnum_context.RequestContext(project_id="p", user_id="u", is_admin=False)
    with pytest.raises(exception.AuthorizationFailure, match="neither a token nor"):
        OpenStackClients(nobody).nova()


def test_contexts_share_sessions_connections_and_tokens(cloud: Keystone) -> None:
    """100 requests of a service user: one token, one pool; B12."""
    token = cloud.issue()
    cloud.content["networks"] = []
    descriptors = []
    for _ in range(50):
        for context in (admin(), tenant(token)):
            assert list(OpenStackClients(context).neutron().networks()) == []
        descriptors.append(len(os.listdir("/proc/self/fd")))
    asked = [path for method, path in cloud.requests if method == "POST"]
    assert len(asked) == 2
    assert cloud.connections < 5
    assert max(descriptors[1:]) == descriptors[1]


def test_other_credentials_make_another_session(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    assert sessions.access(admin()) is sessions.access(admin())
    assert sessions.access(admin()) is not sessions.access(tenant(cloud.issue()))
    first = sessions.access(admin())
    conf.set_override("password", "changed", "keystone_auth")
    assert sessions.access(admin()) is not first


def test_a_wrong_password_is_told(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("password", "wrong", "keystone_auth")
    with pytest.raises(exception.AuthorizationFailure, match="nova: Keystone refused the cred"):
        OpenStackClients(admin()).nova()
    with pytest.raises(exception.AuthorizationFailure, match="keystone: Keystone refused the cred"):
        _ = OpenStackClients(admin()).keystone().auth_token


def test_a_token_that_is_no_longer_valid_is_told(cloud: Keystone) -> None:
    with pytest.raises(exception.AuthorizationFailure, match="Keystone refused the credentials"):
        OpenStackClients(tenant("expired")).glance()


def test_an_unreachable_keystone_is_told(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("auth_url", "http://127.0.0.1:1/v3", "keystone_auth")
    with pytest.raises(exception.AuthorizationFailure, match=r"reached: .*127\.0\.0\.1:1"):
        OpenStackClients(admin()).cinder()


def test_a_service_that_the_catalogue_lacks_is_told(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    cloud.catalogue.remove("network")
    with pytest.raises(exception.AuthorizationFailure, match=r"neutron: .*catalogue.*network"):
        OpenStackClients(admin()).neutron()
    conf.set_override("region_name", "Elsewhere", "nova_client")
    with pytest.raises(exception.AuthorizationFailure, match=r"nova: .*Elsewhere"):
        OpenStackClients(admin()).nova()


def test_missing_options_are_told(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.clear_override("auth_url", "keystone_auth")
    with pytest.raises(exception.AuthorizationFailure, match=r"\[keystone_auth\].*auth_url"):
        OpenStackClients(admin()).nova()
    with pytest.raises(exception.AuthorizationFailure, match=r"\[keystone_auth\]auth_url"):
        OpenStackClients(tenant("any")).nova()


def test_asking_for_keystone_in_vain_does_not_break_a_later_reload(
    cloud: Keystone, conf: cfg.ConfigOpts
) -> None:
    conf.clear_override("auth_url", "keystone_auth")
    with pytest.raises(exception.AuthorizationFailure):
        OpenStackClients(admin()).nova()
    assert conf.mutate_config_files() == {}


def test_a_keystone_that_says_nothing_is_given_up(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("request_timeout", 1, "openstack")
    cloud.silent.set()
    began = time.monotonic()
    with pytest.raises(exception.AuthorizationFailure, match="cannot be reached"):
        OpenStackClients(admin()).nova()
    assert time.monotonic() - began < 50  # the server would hold it for 60 s
    assert sessions.access(admin()).session.timeout == 1


def test_the_timeout_of_keystone_auth_goes_first(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("timeout", 7.0, "keystone_auth")
    assert sessions.access(admin()).session.timeout == 7


def test_tls_options_reach_the_session(cloud: Keystone, conf: cfg.ConfigOpts) -> None:
    conf.set_override("cafile", "/ca.pem", "keystone_auth")
    conf.set_override("certfile", "/c.pem", "keystone_auth")
    conf.set_override("keyfile", "/k.pem", "keystone_auth")
    session = sessions.access(admin()).session
    assert (session.verify, session.cert) == ("/ca.pem", ("/c.pem", "/k.pem"))
    conf.set_override("insecure", True, "keystone_auth")
    assert sessions.access(admin()).session.verify is False


def test_a_fork_does_not_share_connections(cloud: Keystone) -> None:
    kept = sessions.access(admin())
    pid = os.fork()
    if pid == 0:
        os._exit(0 if sessions.access(admin()) is not kept else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_fork_waits_for_no_thread_of_the_other_process(cloud: Keystone) -> None:
    """Each command that a driver runs is a fork, at any moment."""
    with sessions._lock:
        pid = os.fork()
        if pid == 0:
            sessions.access(magnum_context.make_admin_context())
            os._exit(0)
        end = time.monotonic() + 60
        while (ended := os.waitpid(pid, os.WNOHANG)) == (0, 0) and time.monotonic() < end:
            time.sleep(0.02)
        if ended == (0, 0):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
    assert ended == (pid, 0)
