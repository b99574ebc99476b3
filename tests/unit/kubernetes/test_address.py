import pytest

from magnumlite.kubernetes.address import Address
from magnumlite.kubernetes.errors import KubernetesError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("https://10.0.0.1:6443", "https://10.0.0.1:6443"),
        ("https://10.0.0.1:6443/", "https://10.0.0.1:6443"),
        ("https://api.example.org", "https://api.example.org:443"),
        ("http://10.0.0.1", "http://10.0.0.1:80"),
        ("https://lb.example.org/k8s/one/", "https://lb.example.org:443/k8s/one"),
        # B62: a bare IPv6 address from a driver
        ("https://2001:db8::1:6443", "https://[2001:db8::1]:6443"),
        ("https://[2001:db8::1]:6443", "https://[2001:db8::1]:6443"),
        ("https://[2001:db8::1]", "https://[2001:db8::1]:443"),
        ("https://2001:db8::1", "https://[2001:db8::1]:443"),
        ("https://2001:db8:0:0:0:0:0:1", "https://[2001:db8:0:0:0:0:0:1]:443"),
        ("https://2001:db8:0:0:0:0:0:1:6443", "https://[2001:db8:0:0:0:0:0:1]:6443"),
        (" https://10.0.0.1:6443\n", "https://10.0.0.1:6443"),
    ],
)
def test_what_drivers_write(text, shown):
    assert str(Address.parse(text)) == shown


@pytest.mark.parametrize(
    "text",
    [
        "",
        "10.0.0.1:6443",
        "ftp://10.0.0.1",
        "https://",
        "https://a:b:c",
        "https://a:99999",
        "https://k8s..example.com:6443",
        f"https://{'a' * 64}.example.com:6443",
    ],
)
def test_what_cannot_be_used_is_named(text):
    with pytest.raises(KubernetesError, match="cannot be used") as caught:
        Address.parse(text)
    assert repr(text) in caught.value.message
