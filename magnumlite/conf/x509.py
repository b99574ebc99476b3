"""[x509]: what cluster CAs sign."""

from oslo_config import cfg, types

GROUP = cfg.OptGroup("x509", title="Signing of certificates")

EXTENSIONS = [
    "authorityKeyIdentifier",
    "subjectKeyIdentifier",
    "authorityInfoAccess",
    "basicConstraints",
    "cRLDistributionPoints",
    "certificatePolicies",
    "extendedKeyUsage",
    "OCSPNoCheck",
    "inhibitAnyPolicy",
    "keyUsage",
    "nameConstraints",
    "subjectAltName",
    "issuerAltName",
]
KEY_USAGES = [
    "Digital Signature",
    "Non Repudiation",
    "Key Encipherment",
    "Data Encipherment",
    "Key Agreement",
    "Certificate Sign",
    "CRL Sign",
    "Encipher Only",
    "Decipher Only",
]

OPTS = [
    cfg.BoolOpt("allow_ca", default=False, help="Sign requests for a CA certificate."),
    cfg.ListOpt(
        "allowed_extensions",
        default=[
            "keyUsage",
            "extendedKeyUsage",
            "subjectAltName",
            "basicConstraints",
            "subjectKeyIdentifier",
        ],
        item_type=types.String(choices=EXTENSIONS),
        help="Extensions that a signing request may ask for.",
    ),
    cfg.ListOpt(
        "allowed_key_usage",
        default=["Digital Signature", "Key Encipherment", "Non Repudiation"],
        item_type=types.String(choices=KEY_USAGES),
        help="Key usages that a signing request may ask for.",
    ),
    cfg.IntOpt("term_of_validity", default=365 * 5, help="Days that certificates are valid."),
    cfg.IntOpt("rsa_key_size", default=2048, help="Bits of the RSA keys made for clusters."),
]
