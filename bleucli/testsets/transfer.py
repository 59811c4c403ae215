"""One attempt to download a file, which continues an earlier one if the server allows that."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator
from itertools import chain

from bleucli.phrases import tell_count
from bleucli.testsets import connection, limits
from bleucli.testsets.addresses import is_web, local_path
from bleucli.testsets.answers import Span, has_end, span_of, version_in
from bleucli.testsets.cachefiles import reopen
from bleucli.testsets.crawl import Watch
from bleucli.testsets.failures import Failed, Interrupted, MissingFile, UnusablePart
from bleucli.testsets.partial import Leftover, begin, discard, find_leftover, part_of
from bleucli.testsets.progress import show_bar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    from requests import Response

# Small enough for a slow server to fill it in a few seconds
CHUNK_BYTES = 1 << 14


def transfer(address: str, path: str, must_end: bool = False) -> bool:
    """Download the whole file to `part_of(path)`; return whether its beginning is from an earlier attempt.

    Args:
        address: the address of the file.
        path: its final place.
        must_end: refuse an answer that ends only when the connection ends: no one would notice a broken connection.

    Raises:
        Interrupted: another attempt may succeed.
        Failed: another attempt would not help.
        OSError: the file cannot be written.
    """
    if not is_web(address):
        _transfer_from_disk(address, path)
        return False
    leftover = find_leftover(path, address)
    with Watch() as watch:
        while (span := _transfer_part(address, path, leftover, must_end, watch)).end != span.total:
            leftover = Leftover(span.end or 0, leftover.version, span.total)
    return span.start > 0


def _transfer_from_disk(address: str, path: str) -> None:
    chunks = _read_from_disk(local_path(address))
    first = next(chunks, b"")  # the source can be read, so the old part is no longer needed
    with begin(path, address, "", None) as file:
        _append(file, path, Span(0, None, None), chain([first], chunks))


def _transfer_part(address: str, path: str, leftover: Leftover, must_end: bool, watch: Watch) -> Span:
    """Request the missing bytes, write those that arrive (RFC 9110, 15.3.7: perhaps only some), return their span."""
    is_begun = leftover.size > 0
    # Without an encoding, sizes and ranges are those of the file
    headers = {"Accept-Encoding": "identity", "User-Agent": "bleucli"}
    if is_begun:  # if the file is another version now, the server sends all of it
        headers |= {"Range": f"bytes={leftover.size}-", "If-Range": leftover.version}
    try:
        with connection.answer_of(address, headers, watch) as answer:
            span = span_of(answer.status_code, answer.headers, leftover)
            if must_end and not has_end(answer.headers):
                raise Failed("does not say how long the file is, and there is no checksum to show that it is complete")
            if (span.total or 0) > limits.MOST_BYTES:
                raise Failed(f"announces {span.total} bytes, more than any test set has")
            with _open_part(address, path, span, answer) as file:
                is_begun = True
                _append(file, path, span, _read_body(answer, span, watch), watch)
            return span
    except Failed as failure:
        # Bytes are kept only for an attempt that can continue them
        if is_begun and (isinstance(failure, UnusablePart) or not isinstance(failure, Interrupted)):
            discard(path)
        raise


def _open_part(address: str, path: str, span: Span, answer: Response) -> IO[bytes]:
    """Return the file to append a body to; it holds the bytes that precede it."""
    if not span.start:
        return begin(path, address, version_in(answer.headers), span.total)
    file = reopen(part_of(path))
    if file is None or file.seek(0, os.SEEK_END) != span.start:
        raise UnusablePart("must be asked again, because another process changed what had arrived")
    return file


def _read_body(answer: Response, span: Span, watch: Watch) -> Iterator[bytes]:
    """Read a body as it was sent: even if the server calls a .gz file gzip-encoded, it is not unpacked."""
    from http.client import HTTPException

    from urllib3.exceptions import HTTPError, ReadTimeoutError

    outer = sys.exception()
    at = span.start
    try:
        for chunk in answer.raw.stream(CHUNK_BYTES, decode_content=False):
            at += len(chunk)
            if at > limits.MOST_BYTES:
                raise Failed(f"sends more than {limits.MOST_BYTES} bytes, which is more than any test set has")
            if span.end is not None and at > span.end:
                raise UnusablePart(f"sends more than the {tell_count(span.end - span.start, 'byte')} that it announced")
            yield chunk
    except (TimeoutError, ReadTimeoutError):
        raise Interrupted(f"was silent for {connection.SECONDS_OF_SILENCE:g} seconds") from None
    except (HTTPError, HTTPException, OSError, ValueError) as error:
        connection.check_pace(watch)
        if span.end is not None and at < span.end:
            raise _early_end(at, span) from None
        raise Interrupted(f"broke off ({connection.reason_of(error, outer)})") from None
    connection.check_pace(watch)
    if span.end is not None and at < span.end:
        raise _early_end(at, span)


def _early_end(at: int, span: Span) -> Interrupted:
    return Interrupted(f"broke off after {at} of {span.total} bytes")


def _read_from_disk(path: str) -> Iterator[bytes]:
    try:
        if os.path.exists(path) and not (os.path.isfile(path) or os.path.isdir(path)):
            raise Failed("is a device or a pipe, not a file")  # reading it may never end
        with open(path, "rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                yield chunk
    except OSError as error:
        failure = MissingFile if isinstance(error, FileNotFoundError) else Failed
        raise failure(f"cannot be read ({error.strerror})") from None


def _append(file: IO[bytes], path: str, span: Span, chunks: Iterable[bytes], watch: Watch | None = None) -> None:
    """Append chunks to a file."""
    with show_bar(os.path.basename(path), span.start, span.total) as progress:
        for chunk in chunks:
            file.write(chunk)
            progress.update(len(chunk))
            if watch:
                watch.received += len(chunk)
    file.flush()
    os.fsync(file.fileno())
