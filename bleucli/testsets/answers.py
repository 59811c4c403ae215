"""What a server's answer says about the file: pure functions that decide before any byte of the body is read.

- `span_of`: which bytes of the file the body holds
- `version_in`: the name of the file's version, for requesting the rest of that version
- `body_size`, `has_end`: what the headers say about the body
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bleucli.records import NamedTuple
from bleucli.testsets.failures import Failed, Interrupted, MissingFile, UnusablePart
from bleucli.testsets.partial import Leftover


class Span(NamedTuple):
    """The bytes of a file that a body holds: from `start` up to `end`, of `total`; None where it is unknown."""

    start: int
    end: int | None
    total: int | None


_TRANSIENT = frozenset([408, 425, 429])  # timeout, too early, too many requests; and every status from 500 on
_NUMBER = "([0-9]{1,18})"  # that fits into 64 bits
_RANGE = re.compile(f"bytes {_NUMBER}-{_NUMBER}/{_NUMBER}")


def span_of(status: int, headers: Mapping[str, str], leftover: Leftover) -> Span:
    """Decide which bytes of the file the body of an answer holds.

    A part is accepted only if everything agrees that it is the next part of the same file: its first byte, its end, the
    total length, and the version (RFC 9110, 15.3.7.3).

    Args:
        status: the status of the answer.
        headers: the headers of the answer.
        leftover: what we have; if it is not empty, the bytes after it were requested.

    Raises:
        Failed: the answer holds no part of the file that can be used.

    >>> span_of(200, {"Content-Length": "10"}, Leftover(0, "", None))
    Span(start=0, end=10, total=10)
    >>> part = {"ETag": '"5f3"', "Content-Range": "bytes 7-8/10"}
    >>> span_of(206, part, Leftover(7, '"5f3"', 10))
    Span(start=7, end=9, total=10)
    """
    coding = headers.get("Transfer-Encoding", "chunked")
    if coding.strip().lower() != "chunked":  # otherwise its framing would end up in the file (RFC 9112, 6.3)
        raise Failed(f"used the transfer coding {coding!r:.80}, which is not supported")
    if status == 200:
        size = body_size(headers)
        return Span(0, size, size)
    if status in (206, 416):
        span = _span_of_part(headers, leftover) if status == 206 and leftover.size else None
        if span is None:
            raise UnusablePart(f"answered {_name_status(status)} to a request for the bytes from {leftover.size} on")
        return span
    if status in _TRANSIENT or status >= 500:
        raise Interrupted(f"answered {_name_status(status)}")
    raise (MissingFile if status in (404, 410) else Failed)(f"answered {_name_status(status)}")


def _span_of_part(headers: Mapping[str, str], leftover: Leftover) -> Span | None:
    """Return the span of a part; None unless it continues what we have."""
    found = _RANGE.fullmatch(headers.get("Content-Range", ""))
    if not found:
        return None
    first, last, total = map(int, found.groups())
    fits = first == leftover.size <= last < total and leftover.total in (None, total)
    is_same = leftover.version == headers.get("ETag" if leftover.version.startswith('"') else "Last-Modified")
    is_announced_so = body_size(headers) in (None, last + 1 - first)
    return Span(first, last + 1, total) if fits and is_same and is_announced_so else None


def version_in(headers: Mapping[str, str]) -> str:
    """Return the name of a file's version, if it is exact enough to request the rest of the file; otherwise "".

    A weak tag is not exact. A date is, unless the file was changed in the second of the answer (RFC 9110, 8.8.2.2).

    >>> version_in({"ETag": '"5f3"'}), version_in({"ETag": 'W/"5f3"'})
    ('"5f3"', '')
    """
    tag, changed, asked = (headers.get(name, "") for name in ("ETag", "Last-Modified", "Date"))
    if tag:
        return tag if tag.startswith('"') else ""
    from email.utils import parsedate_to_datetime

    try:
        return changed if parsedate_to_datetime(changed) < parsedate_to_datetime(asked) else ""
    except (OverflowError, TypeError, ValueError):
        return ""


def body_size(headers: Mapping[str, str]) -> int | None:
    """Return the announced number of bytes of a body, or None if none was announced.

    >>> body_size({"Content-Length": "12"}), body_size({"Transfer-Encoding": "chunked"})
    (12, None)
    """
    size = re.fullmatch(_NUMBER, headers.get("Content-Length", ""))
    return int(size[1]) if size and "Transfer-Encoding" not in headers else None


def has_end(headers: Mapping[str, str]) -> bool:
    """Return whether a body says where it ends, so that a connection that breaks earlier is noticed.

    >>> has_end({"Content-Length": "12"}), has_end({"Transfer-Encoding": "chunked"}), has_end({})
    (True, True, False)
    """
    return body_size(headers) is not None or "chunked" in headers.get("Transfer-Encoding", "").lower()


def _name_status(status: int) -> str:
    """Return a status with its name.

    >>> _name_status(404), _name_status(599)
    ('404 Not Found', '599')
    """
    from http import HTTPStatus

    return f"{status} {HTTPStatus(status).phrase}" if status in set(HTTPStatus) else str(status)
