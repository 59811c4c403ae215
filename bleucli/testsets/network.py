"""One request for a file on the network: redirections, credentials, limits of size and time.

- `answer_from`: the size and the bytes of the file at an address
- `Failed` and its kinds: why there is none; each text is the rest of a sentence that begins with the address

A redirection from https to http is followed only if the user allows it. Credentials in an address or in `.netrc` are
sent only to the server that they are for.
"""

from __future__ import annotations

import errno
import io
import re
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

from bleucli import testsets
from bleucli.testsets import cache, hide_credentials, is_web, problem_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from requests import Response, Session

SECONDS_TO_CONNECT = 10.0
SECONDS_OF_SILENCE = 30.0
# The least that a server must send in a while; a modem of 1998 managed five times as much
SECONDS_OF_PACE = 60.0
LEAST_BYTES = 60_000
MOST_REDIRECTS = 10
# Small enough for a slow server to fill it in a few seconds
CHUNK_BYTES = 1 << 14
# What is shown of a text that a server may have chosen
MOST_CHARACTERS = 200
# Without an encoding, sizes are those of the file
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": "bleucli"}
_TRANSIENT = frozenset([408, 425, 429])  # timeout, too early, too many requests; and every status from 500 on
_UNREACHED = (errno.EHOSTUNREACH, errno.ENETUNREACH, errno.ETIMEDOUT)


class Failed(Exception):
    """An address does not deliver the file, and another attempt would not help."""


class MissingFile(Failed):
    """An address has no such file."""


class Interrupted(Failed):
    """An address did not deliver the whole file; another attempt may."""


class Unreached(Interrupted):
    """A server does not answer; for a while, no other file is requested from it."""


class Refused(Interrupted):
    """A server refuses connections; another attempt in a few seconds would not help."""


@contextmanager
def answer_from(address: str, must_end: bool) -> Iterator[tuple[int | None, Iterator[bytes]]]:
    """Request the file at an address; give its size, or None if the server does not say, and its bytes in chunks.

    must_end: refuse an answer that ends only when the connection ends: no one would notice a broken connection.

    Raises:
        Interrupted: another attempt may succeed.
        Failed: another attempt would not help.
    """
    from http import HTTPStatus

    import requests

    pace = _Pace()
    with requests.Session() as session:
        _watch(session, pace)
        with closing(_follow(session, address)) as answer:
            # 1. Is it the file? A part of it (206) was not requested.
            status, headers = answer.status_code, answer.headers
            coding = headers.get("Transfer-Encoding", "")
            if coding and coding.strip().lower() != "chunked":  # its framing would end up in the file (RFC 9112, 6.3)
                raise Failed(f"used the transfer coding {coding!r:.80}, which is not supported")
            if status != 200:
                kind: type[Failed] = MissingFile if status in (404, 410) else Failed
                if status in _TRANSIENT or status >= 500:
                    kind = Interrupted
                raise kind(
                    f"answered {status} {HTTPStatus(status).phrase if status in set(HTTPStatus) else ''}".rstrip()
                )
            # 2. Will its end be noticed, and is there room for it?
            digits = re.fullmatch("[0-9]{1,18}", headers.get("Content-Length", ""))
            size = int(digits[0]) if digits and not coding else None
            if must_end and size is None and not coding:
                raise Failed("does not say how long the file is, and there is no checksum to show that it is complete")
            if (size or 0) > testsets.MOST_BYTES:
                raise Failed(f"announces {size} bytes, more than any test set has")
            # 3. Its bytes
            yield size, _read_body(answer, size, pace)


def _read_body(answer: Response, size: int | None, pace: _Pace) -> Iterator[bytes]:
    """Read a body as it was sent: even if the server calls a .gz file gzip-encoded, it is not unpacked."""
    from http.client import HTTPException

    from urllib3.exceptions import HTTPError, ReadTimeoutError

    outer = sys.exception()
    try:
        for chunk in answer.raw.stream(CHUNK_BYTES, decode_content=False):
            pace.received += len(chunk)
            if pace.received > testsets.MOST_BYTES:
                raise Failed(f"sends more than {testsets.MOST_BYTES} bytes, which is more than any test set has")
            yield chunk
    except (TimeoutError, ReadTimeoutError):
        raise Interrupted(f"was silent for {SECONDS_OF_SILENCE:g} seconds") from None
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        if size is None or pace.received >= size:
            raise Interrupted(f"broke off ({reason_of(error, outer)})") from None
    if size is not None and pace.received < size:
        raise Interrupted(f"broke off after {pace.received} of {size} bytes")


# --- redirections and credentials


def _follow(session: Session, address: str) -> Response:
    """Return the answer to a request, after redirections; its body is not read yet."""
    url = address
    for _ in range(MOST_REDIRECTS + 1):
        answer = _request(session, url, _credentials(session, address, url))
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
    from urllib.parse import urljoin

    try:
        following = urljoin(url, target)
    except ValueError:  # such as http://[
        following = ""
    if not is_web(following) or problem_of(following):
        raise Failed("redirects to something other than an https: or http: address")
    is_downgrade = url.lower().startswith("https:") and not following.lower().startswith("https:")
    if is_downgrade and not cache.allows_http():
        raise Failed(
            f"redirects from https: to {_shorten(hide_credentials(following))}, where anyone on the network can change"
            " the file; if you trust the network, download it with bleu --allow-http"
        )
    return hide_credentials(following)


def _credentials(session: Session, address: str, url: str) -> Any:
    """Return the credentials for requests to send: those of the first address, and only to its own server.

    None lets requests look into `.netrc`; a function that adds nothing keeps it from doing so.
    """
    from requests.utils import get_auth_from_url

    if session.should_strip_auth(address, url):  # type: ignore[no-untyped-call]
        return lambda request: request
    own = get_auth_from_url(address)
    return own if any(own) else None


def _request(session: Session, url: str, auth: Any) -> Response:
    import requests
    from urllib3.exceptions import HTTPError

    outer = sys.exception()
    timeout = (SECONDS_TO_CONNECT, SECONDS_OF_SILENCE)
    try:
        return session.get(url, headers=_HEADERS, auth=auth, stream=True, timeout=timeout, allow_redirects=False)
    except (requests.RequestException, HTTPError, OSError, ValueError) as error:
        raise _failure_of(error, outer) from None


# --- errors of the libraries


def _failure_of(error: Exception, outer: BaseException | None) -> Failed:
    import requests

    reason, cause = reason_of(error, outer), _cause_of(error, outer)
    # From the special to the general: a ConnectTimeout is also a Timeout; it and an SSLError are ConnectionErrors
    if isinstance(error, requests.ConnectTimeout):
        return Unreached("cannot be reached in time")
    if isinstance(error, requests.Timeout):
        return Interrupted("did not answer in time")
    if isinstance(error, requests.exceptions.SSLError):
        return Failed(f"cannot be trusted ({reason})")
    if isinstance(error, requests.ConnectionError | requests.exceptions.ChunkedEncodingError):
        kind: type[Failed] = Interrupted
        if isinstance(cause, ConnectionRefusedError):
            kind = Refused
        elif isinstance(cause, socket.gaierror) or getattr(cause, "errno", None) in _UNREACHED:
            kind = Unreached
        return kind(f"cannot be reached ({reason})")
    return Failed(f"cannot be requested ({reason})")


def _cause_of(error: BaseException, outer: BaseException | None) -> BaseException:
    """Return the first cause of an error, except `outer`, which the caller was already handling."""
    while (cause := error.__cause__ or error.__context__) is not None and cause is not outer:
        error = cause
    return error


def reason_of(error: BaseException, outer: BaseException | None = None) -> str:
    """Return the system's reason for an error in one line, without what the libraries added.

    outer: an error that the caller was already handling, which is not a cause.

    >>> error = RuntimeError("Pool(host=...): retries exceeded")
    >>> error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    >>> reason_of(error)
    'Connection refused'
    """
    error = _cause_of(error, outer)
    words = str(getattr(error, "strerror", None) or error).split()
    reason = "".join(character for character in " ".join(words) if character.isprintable())
    return _shorten(reason) or type(error).__name__


def _shorten(text: str) -> str:
    """Return a text with at most `MOST_CHARACTERS`; dots show where it was cut.

    >>> _shorten("Connection refused"), len(_shorten("x" * 60_000))
    ('Connection refused', 200)
    """
    return text if len(text) <= MOST_CHARACTERS else f"{text[: MOST_CHARACTERS - 3]}..."


# --- the pace


class _Pace:
    """Refuses a server that delivers too little in a minute, so that no download crawls on for ever.

    Timeouts alone do not suffice: a server may go on sending one byte every few seconds, even within a header. So this
    is checked whenever bytes are read from a connection. received: the bytes of the body so far, which its reader
    counts.
    """

    def __init__(self) -> None:
        self.received = 0
        self._start, self._before = time.monotonic(), 0

    def check(self) -> None:
        now = time.monotonic()
        if now - self._start >= SECONDS_OF_PACE:
            if self.received - self._before < LEAST_BYTES:
                raise Interrupted(f"sent less than {LEAST_BYTES} bytes in {SECONDS_OF_PACE:g} seconds")
            self._start, self._before = now, self.received


class _PacedFile(io.RawIOBase):
    """The bytes of a connection, with the pace checked before each read."""

    def __init__(self, file: Any, pace: _Pace) -> None:
        self._file, self._pace = file, pace

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._pace.check()
        return self._file.readinto(buffer)  # type: ignore[no-any-return]

    def close(self) -> None:
        self._file.close()
        super().close()


def _watch(session: Session, pace: _Pace) -> None:
    """Let a session check the pace on all its connections, also through proxies."""
    from http.client import HTTPResponse

    from requests.adapters import HTTPAdapter

    class PacedResponse(HTTPResponse):
        def __init__(self, *args: Any, **options: Any) -> None:
            super().__init__(*args, **options)
            self.fp = io.BufferedReader(_PacedFile(self.fp.detach(), pace))

    class Adapter(HTTPAdapter):
        def get_connection_with_tls_context(self, *args: Any, **options: Any) -> Any:
            pool: Any = super().get_connection_with_tls_context(*args, **options)
            pool.ConnectionCls = type("Connection", (pool.ConnectionCls,), {"response_class": PacedResponse})
            return pool

    for scheme in ("http://", "https://"):
        session.mount(scheme, Adapter())
