r"""Text files and standard input as blocks of segments.

Only `\n` ends a line; trailing white space is cut; a byte-order mark is text; compressed files are unpacked, whatever
their names. Files of any size are read in blocks of whole lines, about 512 KiB each. Any number of files can
be read in step: if there are many, each is open only while a block is read, and blocks are smaller.

Other modules of this room: `decompression`; JSON Lines in `jsonlines`, with `jsonfields` and `fastjson`; CSV and TSV in
`delimited`; `scorefiles`; and, for self-BLEU, `jsonsamples`.
"""

from __future__ import annotations

import codecs
import os
from itertools import chain

from bleucli import kernels
from bleucli.errors import BleuError, FieldCountError, NotWaitedFor
from bleucli.phrases import Turn, tell_count
from bleucli.text import PATIENCE, Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import IO, Any

_BLOCK_BYTES = 1 << 19
# The most bytes that the blocks of all files read in step may take together, and the size of the smallest block
_BYTES_OF_ALL, _LEAST_BYTES = 1 << 25, 1 << 14
# The lowest limit on open files is 256 (macOS)
_MOST_OPEN = 64
# The most bytes of a line. No text reaches it (the Bible has four million characters), but a few packed kilobytes do.
_LINE_BYTES = 1 << 26
# The most bytes of a stream that are kept, to find out later what is wrong with it
_AGAIN_BYTES = 1 << 25
_MARK = "\ufeff".encode()
# The number of bytes at the start of a file that show that it is not packed
_FIRST_BYTES = 4
# The most bytes at the start of a file that are examined to find out whether it is text
_START_BYTES = 512
# How other kinds of files begin, and what to do about them
_AS_TEXT = "save its text as plain text, one segment per line"
_OTHER_KINDS: dict[bytes, str] = {
    b"PK\x03\x04": Turn(
        f"is a ZIP archive, as .docx and .xlsx are; {_AS_TEXT}",
        f"is a ZIP archive, as .docx and .xlsx are; {_AS_TEXT}, or name a table (.xlsx) with --table",
    ),
    b"%PDF": f"is a PDF; {_AS_TEXT}",
    b"PAR1": Turn("is a Parquet table; give its columns instead", "is a Parquet table; name it with --table instead"),
    b"ARROW1": Turn("is an Arrow table; give its columns instead", "is an Arrow table; name it with --table instead"),
}
_UTF32_MARKS = (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)
_UTF16_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ASCII_TEXT = b"\t\n\r" + bytes(range(32, 127))


class TextFile:
    r"""A file with one segment per line, or with tab-separated columns of segments.

    Args:
        name: what messages call the file.
        path: the path of the file; None if `stream` is given.
        stream: an open binary stream, such as standard input.
        encoding: the encoding of the text.
        columns: the number of tab-separated columns; 0 to treat tabs as white space; None for as many as the first line
            has.
        mark: how to treat a byte-order mark at the start if the encoding does not drop it: "text", like any other
            character, as sacreBLEU does; "noted", the same with a hint; "dropped", for files that hold data.
        among: the number of files that are read in step, this one included.
        hashed: whether to hash the bytes while reading.

    Attributes:
        hints: notes for the user about the file; complete once all blocks are read.
        segments: the number read so far.
        is_file: whether it is a regular file, which can be read more than once.
        block_factor: how many times as large as usual each block is.

    >>> from io import BytesIO
    >>> [list(block) for block, in TextFile("stdin", stream=BytesIO(b"a b\nc\n")).blocks()]
    [['a b', 'c']]
    """

    remedy: str = Turn("name the encoding with encoding=...", "name the encoding with --encoding")

    def __init__(
        self,
        name: str,
        path: str | bytes | None = None,
        stream: IO[bytes] | None = None,
        encoding: str = "utf-8",
        columns: int | None = 0,
        mark: str = "noted",
        among: int = 1,
        hashed: bool = False,
    ) -> None:
        self.name = name
        self._mark = mark
        self.hints: list[str] = []
        self._path = path
        self._stream = stream
        self._encoding = _look_up_encoding(encoding)
        self._columns = 0 if columns == 1 else columns
        self.segments = 0
        self._bytes = 0
        self._blocks: Iterator[bytes] | None = None
        self.is_file = path is not None and os.path.isfile(path)
        self.block_factor = 1
        self._among = among
        self._hash: Any = None
        if hashed:
            from hashlib import sha256

            self._hash = sha256()
        self._deadline: float | None = None
        self._kept: list[bytes] = []
        self._kept_bytes = 0

    @property
    def _block_bytes(self) -> int:
        return min(self.block_factor * _BLOCK_BYTES, max(_LEAST_BYTES, _BYTES_OF_ALL // self._among))

    def sha256(self) -> str:
        """Return the SHA-256 of the file's bytes, packed or not, once all blocks are read; `hashed` must be set."""
        return str(self._hash.hexdigest())

    def size(self) -> int:
        """Return the size of the file in bytes, packed or not; 0 if it is gone or is not a regular file."""
        try:
            return os.path.getsize(self._path) if self.is_file and self._path is not None else 0
        except OSError:  # reading the text reports the error
            return 0

    def is_packed(self) -> bool:
        """Return whether it is a regular file that is packed; False if it cannot be read, which reading reports."""
        if not self.is_file:
            return False
        try:
            with _open_raw(self._path) as file:
                if not _may_be_packed(file.read(_FIRST_BYTES)):
                    return False
                from bleucli.reading import decompression

                file.seek(0)
                return decompression.codec_of(file.read(decompression.LONGEST_START)) is not None
        except OSError:
            return False

    def twin(self) -> TextFile:
        """Return the same regular file, unread."""
        return type(self)(self.name, self._path, encoding=self._encoding, columns=self._columns, mark=self._mark)

    def counts(self) -> Iterator[int]:
        """Count the segments of a regular file; give their number so far, chunk by chunk."""
        lines, last = 0, b"\n"
        for chunk in self.twin()._decoded_chunks():
            lines += kernels.count_line_ends(chunk)
            last = chunk[-1:] or last
            yield lines
        yield lines + (last != b"\n")

    def columns(self) -> int:
        """Return the number of columns: the given one, or that of the first line."""
        if self._columns is None:
            self._blocks = self._whole_lines()
            first = next(self._blocks, b"")
            self._columns = first.partition(b"\n")[0].count(b"\t") + 1
            self._blocks = _put_back(first, self._blocks)
        return self._columns or 1

    def blocks(self) -> Iterator[list[Segments]]:
        """Read the file; each block has one `Segments` per column."""
        columns = self.columns() if self._columns is None else self._columns
        blocks = self._blocks or self._whole_lines()
        for data in blocks:
            try:
                segments = kernels.split_lines(data, columns)
            except UnicodeDecodeError as error:
                raise self._not_utf8(error) from None
            except FieldCountError as error:
                fields = tell_count(columns, "tab-separated field")
                raise BleuError(
                    f"{self.name}, line {self.segments + error.line + 1}: expected {fields}, found {error.fields}; give"
                    " each line the same number"
                ) from None
            self.segments += len(segments[0])
            self._bytes += len(data)
            yield segments

    def lines(self) -> Iterator[tuple[int, list[str]]]:
        """Read the file unchanged; give some lines at a time, with the number of lines before them."""
        for before, data in self.encoded_lines():
            yield before, self.decode_lines(data)

    def text(self) -> str:
        """Read the whole file unchanged; lines may be of any length."""
        data = b"".join(self._skip_mark(self._decoded_chunks()))
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise self._not_utf8(error) from None

    def encoded_lines(self) -> Iterator[tuple[int, bytes]]:
        """Read the file unchanged; give whole lines at a time in UTF-8, with the number of lines before them."""
        for data in self._whole_lines():
            yield self.segments, data
            self.segments += kernels.count_line_ends(data) + (data[-1:] != b"\n")
            self._bytes += len(data)

    def decode_lines(self, data: bytes) -> list[str]:
        """Return the lines of the latest block."""
        try:
            lines = data.decode().split("\n")
        except UnicodeDecodeError as error:
            raise self._not_utf8(error) from None
        if not lines[-1]:
            lines.pop()
        return lines

    def hurry(self) -> None:
        """Make a stream raise `NotWaitedFor` from now on if it has nothing to read for a while."""
        from time import monotonic

        self._deadline = monotonic() + PATIENCE

    def again(self) -> Callable[[], Iterator[Segments]] | None:
        """Return a function that reads the text again; None if it has columns or can be read only once."""
        if self.columns() > 1 or self._kept_bytes > _AGAIN_BYTES:
            return None

        from io import BytesIO

        data = b"".join(self._kept)
        self._kept = [data]

        def read_again() -> Iterator[Segments]:
            stream = None if self.is_file else BytesIO(data)
            return (
                block for (block,) in TextFile(self.name, self._path, stream, self._encoding, mark=self._mark).blocks()
            )

        return read_again

    def _not_utf8(self, error: UnicodeDecodeError) -> BleuError:
        """Return the error about invalid UTF-8 in the next block, with its line in the file."""
        line = self.segments + error.object.count(b"\n", 0, error.start) + 1
        return self._undecodable(error, line, self._bytes + error.start)

    def _undecodable(self, error: UnicodeDecodeError, line: int, offset: int) -> BleuError:
        byte = error.object[error.start]
        return BleuError(
            f"{self.name}, line {line}, byte {offset}: 0x{byte:02x} is not valid {self._encoding}; ", self.remedy
        )

    def _whole_lines(self) -> Iterator[bytes]:
        """Read UTF-8, whole lines at a time."""
        parts: list[bytes] = []
        size = 0
        for chunk in self._skip_mark(self._decoded_chunks()):
            if b"\n" not in chunk:
                parts.append(chunk)
                size += len(chunk)
                if size > _LINE_BYTES:
                    line = self.segments + kernels.count_line_ends(parts[0]) + 1
                    raise BleuError(
                        f"{self.name}, line {line} is longer than {_LINE_BYTES >> 20} MiB; give one segment per line"
                    )
                continue
            data = b"".join((*parts, chunk))
            evenly = self.is_file and self._among > 1 and len(chunk) >= self._block_bytes
            # `segments` is the number of lines before this block: the caller counts a block before it asks for more
            end = _even_end(data, self.segments) if evenly else data.rindex(b"\n") + 1
            yield data[:end]
            parts = [data[end:]] if end < len(data) else []
            size = len(data) - data.rindex(b"\n") - 1  # of the line that is not complete
        if parts:
            yield b"".join(parts)

    def _decoded_chunks(self) -> Iterator[bytes]:
        return self._chunks() if self._encoding == "utf-8" else self._transcode(self._chunks())

    def _skip_mark(self, chunks: Iterator[bytes]) -> Iterator[bytes]:
        start = b""
        while len(start) < len(_MARK) and (chunk := next(chunks, b"")):
            start += chunk
        if start.startswith(_MARK) and self._mark == "noted":
            hint = f"{self.name} starts with a byte-order mark, which is scored as text, as in sacreBLEU; "
            if self._encoding == "utf-8":
                hint = Turn(f"{hint}encoding='utf-8-sig' drops it", f"{hint}-e utf-8-sig drops it")
            else:
                hint += "delete it if it is there by mistake"
            self.hints.append(hint)
        if start.startswith(_MARK) and self._mark == "dropped":
            self._bytes += len(_MARK)
            start = start[len(_MARK) :]
        yield from _put_back(start, chunks)

    def _transcode(self, chunks: Iterable[bytes]) -> Iterator[bytes]:
        decoder = codecs.getincrementaldecoder(self._encoding)()
        position = lines = 0
        for chunk in chain(chunks, (b"",)):  # an empty one tells the decoder that this is the end
            position += len(chunk)
            before = decoder.getstate()
            try:
                text = decoder.decode(chunk, final=not chunk)
                encoded = text.encode()
            except UnicodeDecodeError as error:
                # `error.object` begins with the bytes that the decoder kept from earlier chunks
                start = position - len(error.object) + error.start
                decoder.setstate(before)
                lines += _newlines(decoder, chunk[: max(0, start - position + len(chunk))])
                raise self._undecodable(error, lines + 1, start) from None
            except UnicodeError as error:
                raise BleuError(f"{self.name} is not valid {self._encoding} ({error}); ", self.remedy) from None
            lines += text.count("\n")
            if encoded:
                yield encoded

    def _chunks(self) -> Iterator[bytes]:
        """Read the file, unpacked if it is compressed."""
        stored = self._stored_chunks() if self._hash is None else self._hash_chunks()
        start, chunks = _look_ahead(stored, _FIRST_BYTES)
        if not _may_be_packed(start):
            return chunks
        from bleucli.reading import decompression

        start, chunks = _look_ahead(chunks, decompression.LONGEST_START)
        codec = decompression.codec_of(start)
        if codec is None:
            refuse_other_kinds(start, self.name, self._encoding)
            return chunks
        pieces = filter(None, decompression.unpack(chunks, codec, self.name, self.hints))
        start, unpacked = _look_ahead(pieces, decompression.LONGEST_START)
        if decompression.codec_of(start):
            raise BleuError(f"{self.name} is packed twice; unpack it first")
        if _may_be_packed(start):
            refuse_other_kinds(start, f"{self.name}, unpacked,", self._encoding)
        # What follows the last member is left out, but is part of the hash
        return unpacked if self._hash is None else chain(unpacked, _read_out(stored))

    def _hash_chunks(self) -> Iterator[bytes]:
        for chunk in self._stored_chunks():
            self._hash.update(chunk)
            yield chunk

    def _stored_chunks(self) -> Iterator[bytes]:
        try:
            if self.is_file and self._among > _MOST_OPEN:
                yield from _read_reopening(self._path, self._block_bytes)
                return
            stream = _open_raw(self._path) if self._stream is None else self._stream
            try:
                while chunk := self._read_chunk(stream):
                    if not self.is_file:  # it cannot be read again, so its data are kept if they are few
                        self._kept_bytes += len(chunk)
                        if self._kept_bytes <= _AGAIN_BYTES:
                            self._kept.append(chunk)
                        else:
                            self._kept.clear()
                    yield chunk
            finally:
                if stream is not self._stream:  # it is ours to close
                    stream.close()
        except OSError as error:
            raise BleuError(f"cannot read {self.name}: {error.strerror or error}; give a readable text file") from None

    def _read_chunk(self, stream: IO[bytes]) -> bytes:
        """Read the next chunk, even from a non-blocking pipe (which gives None while it is empty)."""
        if self._deadline is not None and not self.is_file:
            _wait(stream, self._deadline)
        chunk: bytes | None = None
        while chunk is None:
            chunk = stream.read(self._block_bytes)
            if chunk is None:
                _wait(stream, self._deadline)
        return chunk


def refuse_other_kinds(start: bytes, name: str, encoding: str = "utf-8") -> None:
    r"""Raise an error about a file that cannot be text, by its start.

    Valid UTF-8 may have zero bytes, as in sacreBLEU, but not hundreds at its start, as archives and databases have.

    name: what the message calls the file. encoding: that of the file, if it is text.

    >>> refuse_other_kinds(b"\x93NUMPY\x01\0", "a.npy")
    Traceback (most recent call last):
    bleucli.errors.BleuError: a.npy is not text; save its text as plain text, one segment per line
    """
    start = start[:_START_BYTES]
    other = utf16_in(start) if encoding == "utf-8" else ""
    if other:
        remedy = Turn(
            f"save it as UTF-8, or name the encoding of all files with encoding='{other}'",
            f"save it as UTF-8, or add -e {other} if all files are",
        )
        kind = "UTF-32" if other == "utf-32" else "UTF-16, as PowerShell writes it"
        raise BleuError(f"{name} is {kind}, not UTF-8; ", remedy)
    zeros, is_utf8 = start.count(0), _decode_start(start, "utf-8") is not None
    if is_utf8 and not zeros:
        return
    for mark, message in _OTHER_KINDS.items():
        if start.startswith(mark):
            raise BleuError(f"{name} ", message)
    if encoding == "utf-8" and zeros and (not is_utf8 or zeros >= _START_BYTES // 2):
        raise BleuError(f"{name} is not text; {_AS_TEXT}")


def utf16_in(start: bytes) -> str:
    r"""Return the encoding of a file if it is UTF-16, or UTF-32 with a mark, or else ""; start: its first bytes.

    >>> utf16_in("\ufeffno".encode("utf-16-le")), utf16_in("no".encode("utf-16-be")), utf16_in(b"no")
    ('utf-16', 'utf-16-be', '')
    """
    if start.startswith(_UTF32_MARKS):
        return "utf-32"
    if start.startswith(_UTF16_MARKS):
        return "utf-16"
    # Without a mark, letters of ASCII show it
    halves = {"utf-16-be": start[0:4:2], "utf-16-le": start[1:4:2]}
    for encoding, half in halves.items():
        if half == b"\0\0" and start.count(b"\0", 0, 4) == 2:
            return encoding
    # In other scripts, line ends do; the halves of Cyrillic letters are control characters and ASCII
    text = _decode_start(start, "utf-8")
    if b"\0" in start and (text is None or _has_controls(text.replace("\0", ""))):
        for encoding in halves:
            text = _decode_start(start, encoding) or ""
            if "\n" in text and not _has_controls(text):
                return encoding
    return ""


def _may_be_packed(start: bytes) -> bool:
    r"""Return whether a file may be packed or of another kind, by its start, so that more has to be asked.

    Only bzip2's files start like text; those of the others have other bytes among the first four. The same holds for
    files of other kinds, except PDF and Parquet, and those that soon have a zero byte.

    >>> _may_be_packed(b"\x1f\x8b\x08\0"), _may_be_packed(b"BZh9"), _may_be_packed(b"A line")
    (True, True, False)
    """
    return (
        start[:_FIRST_BYTES].translate(None, _ASCII_TEXT) != b""
        or start.startswith((b"BZh", b"%PDF", b"PAR1"))
        or b"\0" in start[:_START_BYTES]
    )


def _has_controls(text: str) -> bool:
    return any(char < " " and char not in "\t\n\r" for char in text)


def _decode_start(start: bytes, encoding: str) -> str | None:
    r"""Return the start of a file as text, whose last character may be incomplete; None if it is not valid.

    >>> _decode_start("né".encode()[:-1], "utf-8"), _decode_start(b"n\xff", "utf-8")
    ('n', None)
    """
    try:
        return codecs.getincrementaldecoder(encoding)().decode(start)
    except UnicodeDecodeError:
        return None


def _look_ahead(chunks: Iterator[bytes], least: int) -> tuple[bytes, Iterator[bytes]]:
    """Return the start of some chunks, with at least `least` bytes if they have as many, and the same chunks."""
    first: list[bytes] = []
    size = 0
    while size < least and (chunk := next(chunks, b"")):
        first.append(chunk)
        size += len(chunk)
    return b"".join(first), chain(first, chunks)


def _read_out(chunks: Iterable[bytes]) -> Iterator[bytes]:
    """Read what is left, and discard it."""
    for _ in chunks:
        pass
    yield from ()


def _wait(stream: IO[bytes], deadline: float | None) -> None:
    """Wait until there is something to read; raise `NotWaitedFor` if nothing comes until `deadline`.

    Where streams cannot be polled, as on Windows, it is not raised.
    """
    try:
        from select import POLLIN, poll

        descriptor = stream.fileno()
    except (ImportError, OSError, AttributeError):  # Windows; a stream in memory
        return
    from time import monotonic

    poller = poll()
    poller.register(descriptor, POLLIN)
    if not poller.poll(None if deadline is None else max(0, deadline - monotonic()) * 1000):
        raise NotWaitedFor


def _read_reopening(path: str | bytes | None, size: int) -> Iterator[bytes]:
    """Read a file that is open only while a chunk is read."""
    at, first = 0, None
    while True:
        with _open_raw(path) as file:
            status = os.fstat(file.fileno())
            if first is not None and not os.path.samestat(status, first):
                raise OSError("another file has taken its place")
            first = status
            file.seek(at)
            chunk = file.read(size)
        if not chunk:
            return
        at += len(chunk)
        yield chunk


def _even_end(data: bytes, before: int) -> int:
    r"""Return where to cut lines so that files in step are mostly cut at the same lines; before: the lines before them.

    That is where the number of lines so far is a multiple of the largest power of two that is at most that of these.

    >>> _even_end(b"f\ng\nh\ni\nj\nk\nstart", 5)  # 6 lines have room for 4: cut after a multiple of 4
    6
    """
    lines = kernels.count_line_ends(data)
    behind = (before + lines) % (1 << lines.bit_length() - 1)
    # Near the end if lines are about as long; then few steps are left
    end = len(data) * (lines - behind) // lines
    count = kernels.count_line_ends(memoryview(data)[end:])
    while count > behind:
        end = data.index(b"\n", end) + 1
        count -= 1
    while count < behind:
        end = data.rindex(b"\n", 0, end)
        count += 1
    return data.rindex(b"\n", 0, end) + 1


def _newlines(decoder: codecs.IncrementalDecoder, chunk: bytes) -> int:
    """Count the line ends of the valid start of a chunk."""
    try:
        return decoder.decode(chunk).count("\n")
    except UnicodeError:  # a codec that handles only whole labels, such as idna
        return chunk.count(b"\n")


def read_toml(path: str, what: str = "", remedy: str = "") -> dict[str, Any]:
    """Return what a TOML file says; what, remedy: parts of the error if it cannot be read."""
    import tomllib

    try:
        with open(path, "rb") as file:
            return tomllib.loads(file.read().decode("utf-8-sig"))  # Windows editors write a byte-order mark
    except OSError as error:
        raise BleuError(f"cannot read {what}{path}: {error.strerror or error}{remedy and f'; {remedy}'}") from None
    except RecursionError:
        raise BleuError(f"{path} is not valid TOML: it is nested too deeply") from None
    except ValueError as error:  # of TOML, of UTF-8, or a number with thousands of digits
        raise BleuError(f"{path} is not valid TOML: {error}") from None


def _open_raw(path: str | bytes | None) -> IO[bytes]:
    assert path is not None
    return open(path, "rb", buffering=0)


def _look_up_encoding(name: str) -> str:
    """Return the codec's own name.

    >>> _look_up_encoding("UTF8")
    'utf-8'
    """
    try:
        "".encode(name)
        return codecs.lookup(name).name
    except (LookupError, ValueError, UnicodeError):
        raise BleuError(f"unknown encoding {name!r}; expected a name such as utf-8, latin-1 or gb18030") from None


def _put_back(first: bytes, rest: Iterable[bytes]) -> Iterator[bytes]:
    """Give what was read ahead, if anything, before the rest."""
    if first:
        yield first
    yield from rest
