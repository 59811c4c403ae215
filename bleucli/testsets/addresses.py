"""Addresses of downloads: `https:`, `http:`, `file:` or a plain path. No function here uses the disk or the network."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from urllib.parse import SplitResult


def is_web(address: str) -> bool:
    """Return whether an address is on the network.

    >>> is_web("https://example.org/a"), is_web("file:///data/a"), is_web("data/a")
    (True, False, False)
    """
    return address.lower().startswith(("https://", "http://"))


def last_component(address: str) -> str:
    """Return the last path component, which is the name of the download in the cache.

    >>> last_component("https://example.org/data/test%20set.tgz?raw=1"), last_component("data/test set.tgz")
    ('test%20set.tgz', 'test set.tgz')
    """
    path = _split(address).path if is_web(address) else local_path(address)
    return path.replace("\\", "/").rpartition("/")[2]


def local_path(address: str) -> str:
    """Return the path that a plain path or a `file:` address stands for.

    >>> local_path("file:///data/test%20set.tgz"), local_path("data/50%.tgz")
    ('/data/test set.tgz', 'data/50%.tgz')
    """
    if not address.lower().startswith("file:"):
        return address
    from urllib.request import url2pathname

    return url2pathname(_split(address).path)


def choose_addresses(address: str, name: str, mirror: str = "", offline: bool = False) -> list[str]:
    """Return the addresses to try, in order; none if each needs the network and `offline` is set.

    Args:
        address: where the download comes from.
        name: the name of the download: a folder of the mirror.
        mirror: the address under which copies are found as `name/last component`, or "".
        offline: leave out addresses that need the network.

    >>> choose_addresses("https://example.org/data/a.tgz", "acme/news", "https://mirror.example/")
    ['https://mirror.example/acme/news/a.tgz', 'https://example.org/data/a.tgz']
    >>> choose_addresses("https://example.org/data/a.tgz", "acme/news", "/srv/mirror", offline=True)
    ['/srv/mirror/acme/news/a.tgz']
    """
    copy = f"{mirror.rstrip('/')}/{name}/{last_component(address)}"
    asked = [copy, address] if mirror else [address]
    return [one for one in asked if not (offline and is_web(one))]


def problem_of(address: str) -> str:
    """Return why nothing can be downloaded from an address, or "" if the address looks valid.

    >>> problem_of("https://example.org/a.tgz"), problem_of("file:///data/a.tgz"), problem_of("data/a.tgz")
    ('', '', '')
    >>> problem_of("ftp://example.org/a.tgz")
    'expected an https:, http: or file: address, or a path'
    """
    if not address or min(address) < " ":  # urlsplit would silently remove some control characters
        return "expected an address without control characters"
    is_file = address.lower().startswith("file:")
    if not is_file and not is_web(address):
        return "expected an https:, http: or file: address, or a path" if "://" in address else ""
    try:
        parts = _split(address)
        host, has_server = parts.netloc.lower(), bool(parts.hostname) and (is_file or parts.port != 0)
    except ValueError:  # such as http://[ and http://server:port
        host, has_server = address, False
    if is_file:
        return "" if host in ("", "localhost") else "expected a file: address without a host (file:///path)"
    return "" if has_server else "expected an address with the name of a server"


def _split(address: str) -> SplitResult:
    from urllib.parse import urlsplit

    return urlsplit(address)


def hide_credentials(address: str) -> str:
    """Return an address as messages show it: without a user's name and password, and `file:` without %-escapes.

    >>> hide_credentials("https://ada:secret@example.org/a.tgz"), hide_credentials("data/a@b.tgz")
    ('https://example.org/a.tgz', 'data/a@b.tgz')
    """
    if not is_web(address):
        if not address.lower().startswith("file:"):
            return address
        from urllib.parse import unquote

        return unquote(address)
    return re.sub("(?<=://)[^/?#]*@", "", address)
