"""The certificates of clusters.

``authority`` is what the conductor calls: make the four of a cluster, read,
sign, delete. ``csr`` is the policy on signing requests, ``x509`` the
cryptography, ``store`` the places certificates are kept, ``client_files`` the
files an HTTP client needs. ``operations`` and ``cluster_certificates`` offer
the same under the names drivers import.
"""
