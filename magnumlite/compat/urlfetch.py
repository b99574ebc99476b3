"""Fetching a text by its URL; stands for magnum.common.urlfetch."""

import urllib.parse
from collections.abc import Sequence

import requests

from magnumlite import exception
from magnumlite.i18n import _

_TIMEOUT = (5, 30)  # seconds to connect, and between bytes


class URLFetchError(exception.Invalid, OSError):
    """A URL that cannot or must not be fetched."""


def get(url: str, allowed_schemes: Sequence[str] = ("http", "https")) -> str:
    """Return the text found at a URL.

    magnum's own fails on success (contract/conductor_utils.md); this one does not.

    Raises:
        URLFetchError: a scheme that is not allowed, or no answer below 400 within 5 s to connect
            and 30 s without a byte.
    """
    scheme = urllib.parse.urlparse(url).scheme
    if scheme not in allowed_schemes:
        raise URLFetchError(_("Invalid URL scheme %s") % scheme)
    try:
        answer = requests.get(url, timeout=_TIMEOUT)
        answer.raise_for_status()
    except requests.RequestException as error:
        raise URLFetchError(_("Failed to retrieve %(url)s: %(error)s"), url=url, error=error) from (
            error
        )
    return answer.text
