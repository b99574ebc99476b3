"""One PKI for all tests that need one: its keys take a while."""

import pytest

from tests.unit.kubernetes.apiserver import Pki


@pytest.fixture(scope="session")
def pki() -> Pki:
    return Pki()


@pytest.fixture
def reads(monkeypatch, pki):
    """Count reads of certificates, which come from `pki`."""
    from magnumlite.certs import authority

    counted = []

    class Kept:
        def __init__(self, certificate, key=b""):
            self.certificate, self.key = certificate, key

        def get_certificate(self):
            return self.certificate.decode()

        def get_private_key(self):
            return self.key.decode()

        def get_private_key_passphrase(self):
            return None

        def get_decrypted_private_key(self):
            return self.key

    def ca_certificate(cluster, context, ca_cert_type=None):
        counted.append(cluster.ca_cert_ref)
        return Kept(pki.ca)

    def client_certificate(cluster, context):
        counted.append(cluster.magnum_cert_ref)
        return Kept(*pki.client)

    monkeypatch.setattr(authority, "ca_certificate", ca_certificate)
    monkeypatch.setattr(authority, "client_certificate", client_certificate)
    return counted
