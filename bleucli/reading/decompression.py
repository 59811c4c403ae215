"""Compressed text, unpacked piece by piece: gzip, bzip2, xz and zstd, recognized by their first bytes.

A file may consist of several members (streams, frames) in a row. Data after the last one are treated as the
command-line tools treat them: for gzip and bzip2, they are left out with a warning; for xz and zstd, they are an error.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator

from bleucli.errors import BleuError
from bleucli.records import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Pieces = Iterator[bytes]


class Member(NamedTuple):
    """A member that is being unpacked."""

    decoder: Any  # `eof`: whether it is complete; `unused_data`: what follows its end
    errors: type[Exception]  # what its library raises
    pieces: Callable[[Any, bytes], Pieces]  # feeds data to the decoder, and gives what it unpacks


class Codec(NamedTuple):
    """A kind of compression."""

    name: str  # for messages
    starts: tuple[bytes, ...]  # first bytes of a file
    again: tuple[bytes, ...]  # first bytes of a further member
    padding: int  # zero bytes may follow a member, in multiples of this; 0: none may
    lenient: bool  # whether other data may follow, which are then left out
    member: Callable[[str], Member]  # makes a new member, given the file's name


# The number of bytes at the start of a file that show how it is compressed: bzip2 needs the most
LONGEST_START = 10
# The most bytes that are unpacked at once, however well they were packed
_PIECE_BYTES = 1 << 18
# The most packed bytes that zstandard gets at once: it cannot limit its output, and four bytes can become 128 KiB (a
# block of one repeated byte)
_ZSTD_BYTES = 512
# The most memory for xz: files made with `xz -9` take 65 MiB. zstd has a limit of its own, 128 MiB, which only files
# made with `zstd --long=28` or more exceed.
_XZ_MEMORY = 1 << 28


class DamagedError(BleuError):
    """A compressed file is damaged; what: what is wrong, as the rest of a sentence that begins with the file's name."""

    def __init__(self, name: str, what: str) -> None:
        super().__init__(f"{name} {what}; compress or download it again")
        self.name = name
        self.what = what

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, self.what)


def _new_gzip(_: str) -> Member:
    """Return a member of a gzip file (RFC 1952)."""
    import zlib

    return Member(zlib.decompressobj(wbits=31), zlib.error, _feed_zlib)  # 16 for gzip, and 15 for the largest window


def _feed_zlib(decoder: Any, data: bytes) -> Pieces:
    piece = decoder.decompress(data, _PIECE_BYTES)
    yield piece
    # After a full piece, zlib may hold more output, even if it has consumed all data
    while not decoder.eof and (decoder.unconsumed_tail or len(piece) == _PIECE_BYTES):
        piece = decoder.decompress(decoder.unconsumed_tail, _PIECE_BYTES)
        yield piece


def _feed(decoder: Any, data: bytes) -> Pieces:
    """Feed a decompressor of the standard library; all but zlib's have the same interface."""
    yield decoder.decompress(data, _PIECE_BYTES)
    while not (decoder.eof or decoder.needs_input):
        yield decoder.decompress(b"", _PIECE_BYTES)


class _Zstandard:
    """A frame for the package `zstandard`, which is fed little by little."""

    def __init__(self, library: Any) -> None:
        self._decoder = library.ZstdDecompressor().decompressobj()
        self.eof, self.unused_data = False, b""

    def feed(self, data: bytes) -> Pieces:
        for start in range(0, len(data), _ZSTD_BYTES):
            unpacked = self._decoder.decompress(data[start : start + _ZSTD_BYTES])
            for at in range(0, len(unpacked), _PIECE_BYTES):
                yield unpacked[at : at + _PIECE_BYTES]
            if self._decoder.eof:
                self.eof, self.unused_data = True, self._decoder.unused_data + data[start + _ZSTD_BYTES :]
                return


def _new_bzip2(name: str) -> Member:
    try:
        from bz2 import BZ2Decompressor
    except ImportError:
        raise _not_supported(name, "bzip2") from None
    return Member(BZ2Decompressor(), OSError, _feed)


def _new_xz(name: str) -> Member:
    try:
        from lzma import FORMAT_XZ, LZMADecompressor, LZMAError
    except ImportError:
        raise _not_supported(name, "xz") from None
    return Member(LZMADecompressor(FORMAT_XZ, memlimit=_XZ_MEMORY), LZMAError, _feed)


def _new_zstd(name: str) -> Member:
    if sys.version_info >= (3, 14):
        from compression.zstd import ZstdDecompressor, ZstdError

        return Member(ZstdDecompressor(), ZstdError, _feed)
    try:
        from bleucli.optional_deps import load

        library = load("zstandard", "zstd")
    except BleuError as error:
        raise BleuError(f"{name} is a zstd file, but {error}") from None
    return Member(_Zstandard(library), library.ZstdError, _Zstandard.feed)


def _not_supported(name: str, codec: str) -> BleuError:
    return BleuError(f"{name} is a {codec} file, and this Python was built without {codec}; unpack it first")


# A skippable frame (RFC 8878, 3.1.2) may come first
_ZSTD_STARTS = (b"(\xb5/\xfd", *(bytes((number,)) + b"*M\x18" for number in range(0x50, 0x60)))
_BZIP2_BLOCKS = (b"1AY&SY", b"\x17rE8P\x90")  # the second one is that of an empty file
_BZIP2_STARTS = tuple(b"BZh%d" % size + block for size in range(1, 10) for block in _BZIP2_BLOCKS)
_XZ_STARTS = (b"\xfd7zXZ\0",)
_CODECS = (
    Codec("gzip", (b"\x1f\x8b\x08",), (b"\x1f\x8b",), 1, True, _new_gzip),
    Codec("bzip2", _BZIP2_STARTS, (b"BZh",), 0, True, _new_bzip2),
    Codec("xz", _XZ_STARTS, _XZ_STARTS, 4, False, _new_xz),
    Codec("zstd", _ZSTD_STARTS, _ZSTD_STARTS, 0, False, _new_zstd),
)


def codec_of(start: bytes) -> Codec | None:
    r"""Return the compression of a file from its start; None if it has none.

    >>> codec_of(b"\x1f\x8b\x08\0\0").name, codec_of(b"BZh9 is text")
    ('gzip', None)
    """
    return next((codec for codec in _CODECS if start.startswith(codec.starts)), None)


def unpack(chunks: Iterator[bytes], codec: Codec, name: str, hints: list[str]) -> Iterator[bytes]:
    """Unpack a file; notes for the user about the file are added to `hints`.

    >>> import gzip
    >>> chunks = iter([gzip.compress(b"a "), gzip.compress(b"b")])
    >>> b"".join(unpack(chunks, _CODECS[0], "a.gz", []))
    b'a b'
    """
    data = next(chunks, b"")
    while data:
        decoder, errors, pieces = codec.member(name)
        while not decoder.eof:
            data = data or next(chunks, b"")
            if not data:
                raise _damage_of(name, codec, "it is cut short")
            try:
                yield from pieces(decoder, data)
            except errors as error:
                if "memory" in str(error).lower():  # only the message distinguishes a large window from damage
                    why = f"its {codec.name} window is too large"
                    raise BleuError(f"{name} takes too much memory to unpack ({why}); unpack it first") from None
                raise _damage_of(name, codec, "its data are inconsistent") from None
            data = decoder.unused_data
        data = _find_member(data, chunks, codec, name, hints)


def _find_member(data: bytes, chunks: Iterator[bytes], codec: Codec, name: str, hints: list[str]) -> bytes:
    """Return the start of the next member, or nothing at the end of the file."""
    data, zeros = _strip_padding(data, codec)
    while len(data) < LONGEST_START and (chunk := next(chunks, b"")):
        data, more = _strip_padding(data + chunk, codec)
        zeros += more
    if zeros % (codec.padding or 1) == 0:
        if not data:
            return b""
        if data.startswith(codec.again):
            return data
    if not codec.lenient:
        raise _damage_of(name, codec, "other data follow its end")
    hints.append(f"{name}: the data after the end of the {codec.name} data were left out")
    return b""


def _strip_padding(data: bytes, codec: Codec) -> tuple[bytes, int]:
    stripped_data = data.lstrip(b"\0") if codec.padding else data
    return stripped_data, len(data) - len(stripped_data)


def _damage_of(name: str, codec: Codec, why: str) -> DamagedError:
    return DamagedError(name, f"is a damaged {codec.name} file: {why}")
