"""[docker]: registered for older drivers; nothing here reads it."""

from oslo_config import cfg

GROUP = cfg.OptGroup("docker", title="Docker", help="Read by older drivers, if at all.")

OPTS = [
    cfg.StrOpt("docker_remote_api_version", default="1.21", help="Version of Docker's API."),
    cfg.IntOpt("default_timeout", default=60, help="Seconds to wait for Docker."),
    cfg.BoolOpt("api_insecure", default=False, help="Skip verification of Docker's certificate."),
    cfg.StrOpt("ca_file", help="CA bundle for Docker."),
    cfg.StrOpt("cert_file", help="Client certificate for Docker."),
    cfg.StrOpt("key_file", help="Client key for Docker."),
]
