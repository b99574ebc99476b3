import ssl

import pytest

from magnumlite.certs import authority, x509
from magnumlite.certs.store.base import StoredCert
from magnumlite.kubernetes import identity
from tests.unit.kubernetes.apiserver import cluster


def stored(monkeypatch, pki, key, passphrase):
    certificate, _ = pki.client
    client = StoredCert(certificate.decode(), key, None, passphrase)
    ca = StoredCert(pki.ca.decode(), "")
    monkeypatch.setattr(authority, "ca_certificate", lambda cluster, context: ca)
    monkeypatch.setattr(authority, "client_certificate", lambda cluster, context: client)


@pytest.mark.parametrize("passphrase", ["secret", "p\xe4ss", None])
def test_keys_as_the_stores_keep_them(conf, pki, monkeypatch, passphrase):
    key = x509.key_pem(x509.load_key(pki.client[1]), passphrase).decode()
    stored(monkeypatch, pki, key, passphrase)
    tls = identity.tls_context(None, cluster("https://127.0.0.1"))
    assert tls.verify_mode == ssl.CERT_REQUIRED
    assert tls.check_hostname
    assert len(tls.get_ca_certs()) == 1, "no CA of the system is trusted"
    assert not tls.verify_flags & ssl.VERIFY_X509_STRICT


def test_a_passphrase_that_is_missing_is_an_error_not_a_question(conf, pki, monkeypatch):
    key = x509.key_pem(x509.load_key(pki.client[1]), "secret").decode()
    stored(monkeypatch, pki, key, None)
    with pytest.raises(ssl.SSLError):
        identity.tls_context(None, cluster("https://127.0.0.1"))
