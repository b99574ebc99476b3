"""Magnum's own Barbican store and ours: each reads and deletes what the other stores."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization

from magnumlite import exception
from magnumlite.certs import authority
from magnumlite.certs.store import barbican as ours
from magnumlite.openstack import sessions
from tests.interop.driver_environment import Environment
from tests.servers.barbican import Barbican
from tests.servers.keystone import PASSWORD, PROJECT, USER, Keystone
from tests.unit.certs.conftest import Cluster

pytestmark = pytest.mark.timeout(1200)  # the environment is made first

CONFIGURATION = """\
[certificates]
cert_manager_type = barbican

[keystone_auth]
auth_type = password
auth_url = {auth_url}
username = {user}
password = {password}
project_name = {project}
user_domain_id = default
project_domain_id = default
"""

#: What magnum runs before the code of a test, which puts something into `answer`.
PROLOGUE = """\
import json, sys
import magnum.conf
from magnum.common import context
from magnum.common.cert_manager import barbican_cert_manager as store
magnum.conf.CONF(["--config-file", sys.argv[1]], project="magnum")
admin = context.make_admin_context()
given = json.loads(sys.argv[2])
"""

Magnum = Callable[..., Any]


@pytest.fixture
def barbican() -> Iterator[Barbican]:
    server = Barbican()
    server.start()
    yield server
    server.stop()


@pytest.fixture
def magnum(
    environment: Environment, conf: Any, barbican: Barbican, tmp_path: Path
) -> Iterator[Magnum]:
    """Runs code in magnum 23.0.0; both sides are told of the same Barbican."""
    sessions.forget()
    with Keystone() as keystone:
        keystone.elsewhere["key-manager"] = barbican.url
        barbican.tokens = keystone.tokens
        keystone.configure(conf)
        conf.set_override("cert_manager_type", "barbican", "certificates")
        file = tmp_path / "magnum.conf"
        file.write_text(
            CONFIGURATION.format(
                auth_url=keystone.auth_url, user=USER, password=PASSWORD, project=PROJECT
            )
        )

        def run(code: str, **given: Any) -> Any:
            source = PROLOGUE + textwrap.dedent(code) + "print('ANSWER', json.dumps(answer))\n"
            done = environment.run([], "python", "-c", source, str(file), json.dumps(given))
            _, found, answer = done.stdout.partition("ANSWER ")
            assert found, done.stdout[-2000:] + done.stderr[-2000:]
            return json.loads(answer)

        yield run
    sessions.forget()


def test_we_read_and_delete_what_magnum_stores(magnum: Magnum, barbican: Barbican) -> None:
    reference = magnum(
        """
        answer = store.CertManager.store_cert(
            certificate="CERT", private_key="KEY", private_key_passphrase="PASS",
            name="life", context=admin,
        )
        """
    )
    assert (len(barbican.containers), len(barbican.secrets)) == (1, 3)

    cert = ours.CertManager.get_cert(reference, resource_ref="uuid", context=None)

    assert (
        cert.get_certificate(),
        cert.get_private_key(),
        cert.get_private_key_passphrase(),
        cert.get_intermediates(),
    ) == ("CERT", "KEY", "PASS", None)
    ours.CertManager.delete_cert(reference, resource_ref="uuid", context=None)
    assert not barbican.containers
    assert not barbican.secrets


def test_magnum_reads_and_deletes_what_we_make(magnum: Magnum, barbican: Barbican) -> None:
    """A cluster's four certificates, as the conductor makes them; magnum opens the keys."""
    cluster = Cluster()
    made = authority.generate(cluster, None)
    assert (len(barbican.containers), len(barbican.secrets)) == (4, 12)

    read = magnum(
        """
        answer = []
        for reference in given["references"]:
            cert = store.CertManager.get_cert(reference, resource_ref="uuid", context=admin)
            key = cert.get_decrypted_private_key()
            answer.append([cert.get_certificate(), key.decode(), cert.get_intermediates()])
            store.CertManager.delete_cert(reference, resource_ref="uuid", context=admin)
        """,
        references=list(made),
    )

    assert len(read) == 4
    for certificate, key, intermediates in read:
        shown = x509.load_pem_x509_certificate(certificate.encode())
        private = serialization.load_pem_private_key(key.encode(), None)
        assert shown.public_key() == private.public_key()
        assert intermediates is None
    assert not barbican.containers
    assert not barbican.secrets
    with pytest.raises(exception.ResourceNotFound):
        ours.CertManager.get_cert(next(iter(made)))
