"""[keystone_auth]: the service's own credentials, as keystoneauth defines them."""

from oslo_config import cfg

try:
    from keystoneauth1 import loading
except ImportError:
    loading = None  # type: ignore[assignment]

GROUP = cfg.OptGroup("keystone_auth", title="Credentials of the service")

_PLUGIN = "password"


def register(conf: cfg.ConfigOpts) -> None:
    """Register the group, with the options of keystoneauth if that is installed.

    Those of the plugin are registered when it is loaded: one of them, auth_url, is required.
    """
    conf.register_group(GROUP)
    if loading is not None:
        loading.register_session_conf_options(conf, GROUP.name)
        loading.register_auth_conf_options(conf, GROUP.name)
        conf.set_default("auth_type", _PLUGIN, GROUP.name)


def list_opts() -> list[cfg.Opt]:
    """Return the options for the sample file, with those of the password plugin."""
    if loading is None:
        return []
    opts: dict[str, cfg.Opt] = {}
    for opt in (
        *loading.get_auth_common_conf_options(),
        *loading.get_session_conf_options(),
        *loading.get_auth_plugin_conf_options(_PLUGIN),
    ):
        opts.setdefault(opt.dest, opt)
    cfg.set_defaults([opts["auth_type"]], auth_type=_PLUGIN)
    return sorted(opts.values(), key=lambda opt: opt.dest)
