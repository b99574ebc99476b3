"""A cluster's API address, as drivers write it into the row."""

from __future__ import annotations

import dataclasses
import ipaddress
from urllib.parse import urlsplit

from magnumlite.kubernetes.errors import KubernetesError

DEFAULT_PORTS = {"https": 443, "http": 80}


@dataclasses.dataclass(frozen=True)
class Address:
    """Where a cluster's API is: `host` without brackets, `path` without a slash at its end."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def parse(cls, text: str) -> Address:
        """Read an address; a bare IPv6 host is taken, its last group as the port (B62).

        Raises:
            KubernetesError: it is no http or https URL with a host.
        """
        try:
            url = urlsplit(text.strip())
            host, port = _host_port(url.netloc)
            if url.scheme not in DEFAULT_PORTS or not host:
                raise ValueError("not an http or https URL")
            host.encode("idna")
            return cls(url.scheme, host, port or DEFAULT_PORTS[url.scheme], url.path.rstrip("/"))
        except ValueError as error:
            raise KubernetesError(f"API address {text!r} cannot be used: {error}") from error

    @property
    def bracketed(self) -> str:
        """The host as it stands in a URL (RFC 3986, section 3.2.2)."""
        return f"[{self.host}]" if ":" in self.host else self.host

    def __str__(self) -> str:
        return f"{self.scheme}://{self.bracketed}:{self.port}{self.path}"


def _host_port(netloc: str) -> tuple[str, int | None]:
    netloc = netloc.rpartition("@")[2]
    if netloc.count(":") > 1 and not netloc.startswith("["):
        head, _, tail = netloc.rpartition(":")
        if _is_ipv6(head) and tail.isdecimal():
            return head, _port(tail)
        if _is_ipv6(netloc):
            return netloc, None
        raise ValueError("not an IPv6 address")
    url = urlsplit(f"//{netloc}")
    return url.hostname or "", url.port


def _port(text: str) -> int:
    port = int(text)
    if not 0 < port < 65536:
        raise ValueError("port out of range")
    return port


def _is_ipv6(text: str) -> bool:
    try:
        ipaddress.IPv6Address(text)
    except ValueError:
        return False
    return True
