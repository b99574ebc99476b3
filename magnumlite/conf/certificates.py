"""[certificates]: where the certificates of clusters are kept."""

from oslo_config import cfg

GROUP = cfg.OptGroup("certificates", title="Certificate store")

OPTS = [
    cfg.StrOpt(
        "cert_manager_type",
        default="barbican",
        help="Where cluster certificates are kept: barbican, x509keypair (the database) or "
        "local (files; for tests only). All hosts must use the same.",
    ),
    cfg.StrOpt(
        "storage_path",
        default="/var/lib/magnum/certificates/",
        help="Directory of the local store.",
    ),
]
