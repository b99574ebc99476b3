"""[<service>_client]: how drivers and the certificate store reach the cloud's services."""

from oslo_config import cfg

_SERVICES = {
    "barbican_client": "Barbican",
    "cinder_client": "Cinder",
    "glance_client": "Glance",
    "magnum_client": "Magnum",
    "neutron_client": "Neutron",
    "nova_client": "Nova",
    "octavia_client": "Octavia",
}


def _endpoint(service: str) -> list[cfg.Opt]:
    return [
        cfg.StrOpt("region_name", help=f"Region of {service}'s endpoint; unset: any."),
        cfg.StrOpt(
            "endpoint_type",
            default="publicURL",
            help=f"Interface of {service}'s endpoint in the service catalogue.",
        ),
    ]


_OCTAVIA_TLS = [
    cfg.StrOpt("ca_file", help="CA bundle; read by drivers, if at all."),
    cfg.StrOpt("cert_file", help="Client certificate; read by drivers, if at all."),
    cfg.StrOpt("key_file", help="Client key; read by drivers, if at all."),
    cfg.BoolOpt("insecure", default=False, help="Skip verification; read by drivers, if at all."),
]

GROUPS: list[tuple[cfg.OptGroup, list[cfg.Opt]]] = [
    (
        cfg.OptGroup(name, title=f"Client of {service}"),
        _endpoint(service) + (_OCTAVIA_TLS if name == "octavia_client" else []),
    )
    for name, service in _SERVICES.items()
]
