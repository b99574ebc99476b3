"""Who the conductor is to a cluster's API: a TLS context from the cluster's certificates."""

from __future__ import annotations

import os
import ssl
from typing import Any

from magnumlite.certs import authority, client_files
from magnumlite.certs.x509 import encoded
from magnumlite.conf import CONF
from magnumlite.kubernetes.memfile import memfile


def tls_context(context: Any, cluster: Any) -> ssl.SSLContext:
    """Return a context that trusts the cluster's CA only and shows its client certificate.

    The key stays in memory, unless [cluster]temp_cache_dir is a directory: then the files of
    contract/certs.md are made there, and read again later.

    Raises: whatever the certificate store raises; ssl.SSLError or ValueError for a certificate
        or key that cannot be read.
    """
    cache = CONF.cluster.temp_cache_dir
    if cache and os.path.isdir(cache):
        ca_file, key_file, certificate_file = client_files.create(cluster, context)
        with ca_file, key_file, certificate_file:
            tls = _trusting(cafile=ca_file.name)
            tls.load_cert_chain(certificate_file.name, key_file.name)
        return tls
    ca = _bytes(authority.ca_certificate(cluster, context).get_certificate())
    client = authority.client_certificate(cluster, context)
    tls = _trusting(cadata=ca.decode("ascii"))
    pem = _bytes(client.get_private_key()) + b"\n" + _bytes(client.get_certificate())
    # OpenSSL decrypts the key itself, in a tenth of the time of get_decrypted_private_key.
    # Never None: it would ask the terminal for the passphrase.
    passphrase = encoded(client.get_private_key_passphrase()) or b""
    with memfile(pem) as path:
        tls.load_cert_chain(path, password=passphrase)
    return tls


def _trusting(**ca: str) -> ssl.SSLContext:
    tls = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, **ca)
    # Certificates that magnum's own conductor signed have no authority key identifier (B45).
    tls.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return tls


def _bytes(pem: str | bytes) -> bytes:
    return pem.encode() if isinstance(pem, str) else pem
