"""The version of magnumlite that is installed."""

from importlib import metadata


class _VersionInfo:
    """What callers of `magnum.version.version_info` ask: the version as text."""

    def version_string(self) -> str:
        """Return the installed version, for example '0.1.0'; '0' when not installed."""
        try:
            return metadata.version("magnumlite")
        except metadata.PackageNotFoundError:
            return "0"

    release_string = version_string
    version_string_with_vcs = version_string

    def __str__(self) -> str:
        return self.version_string()


version_info = _VersionInfo()
