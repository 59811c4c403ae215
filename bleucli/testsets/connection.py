"""Requests over the network: redirections, credentials, and the libraries' errors in one line.

A redirection from https to http is followed only if the user allows it. Credentials in an address or in `.netrc` are
sent only to the server that they are for.
"""

from __future__ import annotations

import errno
import socket
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from urllib.parse import urljoin, urlsplit

from bleucli.testsets import cache, crawl
from bleucli.testsets.addresses import hide_credentials, is_web, problem_of
from bleucli.testsets.failures import Failed, Interrupted, Refused, Unreached

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from requests import Response, Session

SECONDS_TO_CONNECT = 10.0
SECONDS_OF_SILENCE = 30.0
MOST_REDIRECTS = 10
# What is shown of a text that a server may have chosen
MOST_CHARACTERS = 200
_UNREACHED = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT)
_PORTS = {"http": 80, "https": 443}


@contextmanager
def answer_of(address: str, headers: Mapping[str, str], watch: crawl.Watch) -> Iterator[Response]:
    """Request an address, following redirections; the body of the answer is not read yet.

    Raises:
        Failed: there is no answer, or a redirection that must not be followed.
    """
    import requests

    with requests.Session() as session:
        crawl.mount(session, watch)
        with closing(_ask_and_follow(session, address, headers, watch)) as answer:
            yield answer


def _ask_and_follow(session: Session, address: str, headers: Mapping[str, str], watch: crawl.Watch) -> Response:
    url = address
    for _ in range(MOST_REDIRECTS + 1):
        answer = _ask(session, url, headers, _credentials(address, url), watch)
        try:
            target = session.get_redirect_target(answer)
        except ValueError:  # a header that is not valid UTF-8
            raise Failed("redirects to a malformed address") from None
        if target is None:
            return answer
        answer.close()
        url = _resolve(url, target)
    raise Failed(f"redirects more than {MOST_REDIRECTS} times")


def _resolve(url: str, target: str) -> str:
    """Return the address that a redirection leads to, without credentials: a server must not choose ours.

    >>> _resolve("https://example.org/a/b", "../c"), _resolve("http://example.org/a", "https://eve:me@example.org/b")
    ('https://example.org/c', 'https://example.org/b')
    """
    try:
        following = urljoin(url, target)
    except ValueError:  # such as http://[
        following = ""
    if not is_web(following) or problem_of(following):
        raise Failed("redirects to something other than an https: or http: address")
    if _is_secure(url) and not _is_secure(following) and not cache.allows_http():
        raise Failed(
            f"redirects from https: to {shorten(hide_credentials(following))}, where anyone on the network can change"
            " the file; if you trust the network, download it with bleu --allow-http"
        )
    return hide_credentials(following)


def _is_secure(url: str) -> bool:
    return url.lower().startswith("https:")


def _credentials(address: str, url: str) -> Any:
    """Return the credentials for requests to send: those of the first address, and only to its own server.

    None lets requests look into `.netrc`; a function that adds nothing keeps it from doing so.
    """
    from requests.utils import get_auth_from_url

    if not is_same_server(address, url):
        return lambda request: request
    own = get_auth_from_url(address)
    return own if any(own) else None


def is_same_server(address: str, url: str) -> bool:
    """Return whether two addresses are on the same server; the second may have https where the first has http.

    >>> is_same_server("http://example.org/a", "https://example.org:443/b")
    True
    >>> is_same_server("https://example.org/a", "http://example.org/a")
    False
    """
    first, second = urlsplit(address.lower()), urlsplit(url.lower())
    if first.hostname != second.hostname:
        return False
    ports = [one.port or _PORTS[one.scheme] for one in (first, second)]
    is_upgrade = (first.scheme, second.scheme, *ports) == ("http", "https", 80, 443)
    return is_upgrade or (first.scheme == second.scheme and ports[0] == ports[1])


def _ask(session: Session, url: str, headers: Mapping[str, str], auth: Any, watch: crawl.Watch) -> Response:
    import requests
    from urllib3.exceptions import HTTPError

    outer = sys.exception()
    timeout = (SECONDS_TO_CONNECT, SECONDS_OF_SILENCE)
    try:
        answer = session.get(url, headers=headers, auth=auth, stream=True, timeout=timeout, allow_redirects=False)
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        check_pace(watch)
        raise _failure_of(error, outer) from None
    check_pace(watch)
    return answer


def _failure_of(error: Exception, outer: BaseException | None) -> Failed:
    """Return our error for the failure of a request."""
    import requests

    why, cause = reason_of(error, outer), cause_of(error, outer)
    # From the special to the general: a ConnectTimeout is also a Timeout; it and an SSLError are ConnectionErrors
    if isinstance(error, requests.ConnectTimeout):
        return Unreached("cannot be reached in time")
    if isinstance(error, requests.Timeout):
        return Interrupted("did not answer in time")
    if isinstance(error, requests.exceptions.SSLError):
        return Failed(f"cannot be trusted ({why})")
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        kind: type[Failed] = Interrupted
        if isinstance(cause, ConnectionRefusedError):
            kind = Refused
        elif isinstance(cause, socket.gaierror) or getattr(cause, "errno", None) in _UNREACHED:
            kind = Unreached
        return kind(f"cannot be reached ({why})")
    return Failed(f"cannot be requested ({why})")


def check_pace(watch: crawl.Watch) -> None:
    """Raise an error if we cut the connection because it was too slow."""
    if watch.is_cut:
        raise Interrupted(f"sent less than {crawl.LEAST_BYTES} bytes in {crawl.SECONDS_OF_WATCH:g} seconds")


def cause_of(error: BaseException, outer: BaseException | None = None) -> BaseException:
    """Return the first cause of an error.

    Args:
        error: the error that was caught.
        outer: an error that the caller was already handling, which is not a cause.
    """
    while (cause := error.__cause__ or error.__context__) is not None and cause is not outer:
        error = cause
    return error


def reason_of(error: BaseException, outer: BaseException | None = None) -> str:
    """Return the system's reason for an error in one line, without what the libraries added; see `cause_of`.

    >>> error = RuntimeError("Pool(host=...): retries exceeded")
    >>> error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    >>> reason_of(error)
    'Connection refused'
    """
    error = cause_of(error, outer)
    words = str(getattr(error, "strerror", None) or error).split()
    reason = "".join(character for character in " ".join(words) if character.isprintable())
    return shorten(reason) or type(error).__name__


def shorten(text: str) -> str:
    """Return a text with at most `MOST_CHARACTERS`; dots show where it was cut.

    >>> shorten("Connection refused"), len(shorten("x" * 60_000))
    ('Connection refused', 200)
    """
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."
