"""One attempt to bring a file from an address to the disk, from where an earlier one stopped if the server lets us."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from itertools import chain

from bleucli.testsets.addresses import is_web, local_path
from bleucli.testsets.partial import Left, discard, left_by, part_of, remember
from bleucli.testsets.progress import bar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from requests import Response, Session

SECONDS_TO_CONNECT = 10.0
SECONDS_OF_SILENCE = 30.0
CHUNK_BYTES = 1 << 16
MOST_REDIRECTS = 10
_TRANSIENT = frozenset([408, 425, 429])  # and all from 500 on


class Failed(Exception):
    """An address does not give the file, and asking again would not help."""


class Absent(Failed):
    """An address has no such file."""


class Wrong(Failed):
    """An address gives another file than the one that is wanted."""


class Interrupted(Failed):
    """An address did not give the whole file; the rest may come if it is asked again."""


class Unusable(Interrupted):
    """What an earlier attempt left is of no use to this server; the whole file may come if it is asked again."""


def transfer(address: str, path: str, must_end: bool = False) -> bool:
    """Bring the whole file to `part_of(path)`; return whether its beginning is from an earlier attempt.

    Args:
        address: of the file.
        path: where it belongs later.
        must_end: refuse an answer that has no end but that of the connection: nobody would see that it broke off.

    Raises:
        Interrupted: it may work if it is tried again.
        Failed: it will not.
        OSError: the disk cannot take the file.
    """
    return _transfer_from_web(address, path, must_end) if is_web(address) else _transfer_from_disk(address, path)


def starts_at(status: int, content_range: str, size: int) -> int:
    """Decide at which byte of the file the body of an answer begins.

    Args:
        status: of the answer.
        content_range: its header of that name, or "".
        size: the number of bytes that we have; if not 0, those behind them were asked for.

    >>> starts_at(200, "", 7), starts_at(206, "bytes 7-9/10", 7)
    (0, 7)
    """
    if status == 200:
        return 0
    if status == 206 and size and content_range.startswith(f"bytes {size}-"):
        return size
    if status in (206, 416):
        raise Unusable(f"answered {_named(status)} to a request for the bytes from {size} on")
    if status in _TRANSIENT or status >= 500:
        raise Interrupted(f"answered {_named(status)}")
    raise (Absent if status in (404, 410) else Failed)(f"answered {_named(status)}")


def version_in(headers: Mapping[str, str]) -> str:
    """Return what names the version of a file exactly enough to ask for the rest of it, or "".

    A weak tag is not exact; a date is (RFC 9110, 8.8.2.2) if the file was not changed in the very second of the answer.

    >>> version_in({"ETag": '"5f3"'}), version_in({"ETag": 'W/"5f3"'})
    ('"5f3"', '')
    """
    tag, changed, asked = (headers.get(name, "") for name in ("ETag", "Last-Modified", "Date"))
    if tag:
        return tag if tag.startswith('"') else ""
    from email.utils import parsedate_to_datetime

    try:
        return changed if parsedate_to_datetime(changed) < parsedate_to_datetime(asked) else ""
    except (TypeError, ValueError):
        return ""


def body_size(headers: Mapping[str, str]) -> int | None:
    """Return the announced number of bytes of a body, or None if none was announced.

    >>> body_size({"Content-Length": "12"}), body_size({"Transfer-Encoding": "chunked"})
    (12, None)
    """
    size = headers.get("Content-Length", "")
    return int(size) if size.isdecimal() and "Transfer-Encoding" not in headers else None


def has_end(headers: Mapping[str, str]) -> bool:
    """Return whether a body says where it ends, so that a connection that breaks off before is noticed.

    >>> has_end({"Content-Length": "12"}), has_end({"Transfer-Encoding": "chunked"}), has_end({})
    (True, True, False)
    """
    return body_size(headers) is not None or "chunked" in headers.get("Transfer-Encoding", "").lower()


def _named(status: int) -> str:
    """Return a status with its name.

    >>> _named(404), _named(599)
    ('404 Not Found', '599')
    """
    from http import HTTPStatus

    return f"{status} {HTTPStatus(status).phrase}" if status in set(HTTPStatus) else str(status)


def _transfer_from_disk(address: str, path: str) -> bool:
    chunks = _read(local_path(address))
    first = next(chunks, b"")  # it can be read: now what is there may go
    discard(path)
    _append(path, 0, None, chain([first], chunks))
    return False


def _transfer_from_web(address: str, path: str, must_end: bool) -> bool:
    left = left_by(path, address)
    try:
        with _answer(address, left) as answer:
            start = starts_at(answer.status_code, answer.headers.get("Content-Range", ""), left.size)
            if must_end and not has_end(answer.headers):
                raise Failed("does not say how long the file is, and no checksum would tell whether it is whole")
            if not start:
                discard(path)
                remember(path, address, version_in(answer.headers))
            _append_body(path, start, answer)
    except Failed as failure:
        if left.size and type(failure) is not Interrupted:
            discard(path)
        raise
    return start > 0


def _append_body(path: str, start: int, answer: "Response") -> None:
    expected = body_size(answer.headers)
    got = _append(path, start, expected, _chunks(answer))
    if expected is not None and got != expected:
        raise Interrupted(f"ended after {start + got} of {start + expected} bytes")


@contextmanager
def _answer(address: str, left: Left) -> "Iterator[Response]":
    """Ask an address; the body is not read yet."""
    import requests

    headers = {"Accept-Encoding": "identity", "User-Agent": "bleucli"}
    if left.size:
        headers |= {"Range": f"bytes={left.size}-", "If-Range": left.version}
    with requests.Session() as session, closing(_asked(session, address, headers)) as answer:
        yield answer


def _asked(session: "Session", address: str, headers: dict[str, str]) -> "Response":
    import requests

    session.max_redirects = MOST_REDIRECTS
    outer = sys.exception()
    try:
        return session.get(address, headers=headers, stream=True, timeout=(SECONDS_TO_CONNECT, SECONDS_OF_SILENCE))
    except requests.TooManyRedirects:
        raise Failed(f"redirects more than {MOST_REDIRECTS} times") from None
    except requests.Timeout:
        raise Interrupted("gives no answer in time") from None
    except requests.exceptions.SSLError as error:
        raise Failed(f"cannot be trusted ({_innermost(error, outer)})") from None
    except (requests.ConnectionError, requests.exceptions.ChunkedEncodingError) as error:
        raise Interrupted(f"cannot be reached ({_innermost(error, outer)})") from None
    except (requests.RequestException, ValueError) as error:
        raise Failed(f"cannot be asked ({_innermost(error, outer)})") from None


def _chunks(answer: "Response") -> Iterator[bytes]:
    """Read a body as it was sent: a server that calls a .gz file gzip-encoded does not get it unpacked."""
    from urllib3.exceptions import HTTPError, ReadTimeoutError

    outer = sys.exception()
    try:
        yield from answer.raw.stream(CHUNK_BYTES, decode_content=False)
    except (TimeoutError, ReadTimeoutError):
        raise Interrupted(f"was silent for {SECONDS_OF_SILENCE:g} seconds") from None
    except (HTTPError, OSError) as error:
        raise Interrupted(f"broke off ({_innermost(error, outer)})") from None


def _read(path: str) -> Iterator[bytes]:
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise Failed("is a device or a pipe, expected a file")  # it may never end
        with open(path, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        failure = Absent if isinstance(error, FileNotFoundError) else Failed
        raise failure(f"cannot be read ({error.strerror})") from None


def _innermost(error: BaseException, outer: BaseException | None = None) -> str:
    """Return, in one line, the cause of the cause of an error: what the system said, not what each library made of it.

    Args:
        error: that was caught.
        outer: an error that the caller was handling before, which has nothing to do with it.

    >>> error = RuntimeError("Pool(host=...): retries exceeded")
    >>> error.__cause__ = ConnectionRefusedError(111, "Connection refused")
    >>> _innermost(error)
    'Connection refused'
    """
    from http.client import IncompleteRead

    while (cause := error.__cause__ or error.__context__) is not None and cause is not outer:
        error = cause
    if isinstance(error, IncompleteRead):
        return "the rest is missing"
    words = str(getattr(error, "strerror", None) or error).split()
    return "".join(character for character in " ".join(words) if character.isprintable()) or type(error).__name__


def _append(path: str, start: int, expected: int | None, chunks: Iterable[bytes]) -> int:
    """Write chunks behind what `part_of(path)` holds; return the number of bytes that came."""
    got = 0
    total = None if expected is None else start + expected
    with bar(os.path.basename(path), start, total) as progress, open(part_of(path), "ab") as file:
        for chunk in chunks:
            file.write(chunk)
            progress.update(len(chunk))
            got += len(chunk)
        file.flush()
        os.fsync(file.fileno())
    return got
