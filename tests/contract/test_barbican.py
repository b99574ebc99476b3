"""What magnum 23.0.0 puts into Barbican (data/magnum_barbican.json) beside what we put there.

In the record a reference to a secret is its place in the list of secrets.
"""

import json
import pathlib

from magnumlite.certs.store import barbican
from tests.unit.certs.store.test_barbican import server  # noqa: F401

RECORDED = json.loads((pathlib.Path(__file__).parent / "data" / "magnum_barbican.json").read_text())


def test_we_store_what_magnum_stores(server):  # noqa: F811
    barbican.CertManager.store_cert(
        certificate=b"CERT",
        private_key=b"KEY",
        private_key_passphrase="PASS",
        name="life",
        context=None,
    )
    assert list(server.secrets.values()) == RECORDED["secrets"]
    (container,) = server.containers.values()
    places = {name: place for place, name in enumerate(server.secrets)}
    for entry in container["secret_refs"]:
        entry["secret_ref"] = places[entry["secret_ref"].rpartition("/")[2]]
    assert container == RECORDED["container"]


def test_we_read_and_delete_what_magnum_stored(server):  # noqa: F811
    references = [server.create_secret(dict(s))["secret_ref"] for s in RECORDED["secrets"]]
    container = dict(RECORDED["container"])
    container["secret_refs"] = [
        {"name": entry["name"], "secret_ref": references[entry["secret_ref"]]}
        for entry in container["secret_refs"]
    ]
    reference = server.create_container(container)["container_ref"]
    cert = barbican.CertManager.get_cert(reference, resource_ref="uuid", context=None)
    assert cert.get_certificate() == "CERT"
    assert cert.get_private_key() == "KEY"
    assert cert.get_private_key_passphrase() == "PASS"
    assert cert.get_intermediates() is None
    barbican.CertManager.delete_cert(reference, resource_ref="uuid", context=None)
    assert not server.secrets
    assert not server.containers
