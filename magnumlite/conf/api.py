"""[api]: read by magnum-api alone; registered so that drivers may read the group too."""

from oslo_config import cfg

GROUP = cfg.OptGroup("api", title="magnum-api", help="Read by magnum-api alone.")

OPTS = [
    cfg.PortOpt("port", default=9511, help="Port that magnum-api listens on."),
    cfg.IPOpt("host", default="127.0.0.1", help="Address that magnum-api listens on."),
    cfg.IntOpt("max_limit", default=1000, help="Most items in one answer."),
    cfg.StrOpt("api_paste_config", default="api-paste.ini", help="Paste configuration file."),
    cfg.StrOpt("ssl_cert_file", help="Certificate of magnum-api's own TLS."),
    cfg.StrOpt("ssl_key_file", help="Key of magnum-api's own TLS."),
    cfg.BoolOpt("enabled_ssl", default=False, help="Let magnum-api serve TLS itself."),
    cfg.IntOpt("workers", help="Worker processes of magnum-api; unset: one a CPU."),
]
