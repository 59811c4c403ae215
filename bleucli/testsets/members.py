"""The members of tar and zip archives, one after the other: their kinds and their bytes.

No function here writes a file, follows a link or trusts a size. An archive that unpacks into far more than any test set
(a bomb) is refused before it fills memory or disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from bleucli.errors import BleuError
from bleucli.reading.decompression import LONGEST_START, DamagedError, codec_of, unpack
from bleucli.records import NamedTuple
from bleucli.testsets import limits
from bleucli.testsets.checksums import record_of
from bleucli.testsets.limits import check_size, too_large

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tarfile import TarInfo
    from typing import IO
    from zipfile import ZipFile, ZipInfo


class Member(NamedTuple):
    """A member of an archive."""

    path: str  # below the archive's root
    kind: str  # what it is if it is not a plain file; else ""
    chunks: Callable[[], Iterator[bytes]]  # gives its bytes; in a tar archive only until the next member is requested


# Far more than any test set has
MOST_MEMBERS = 100_000
# tarfile reads a long name or a comment at once, whatever its size
MOST_HEADER_BYTES = 1 << 20
CHUNK_BYTES = 1 << 16

_ZIP_STARTS = (b"PK\3\4", b"PK\5\6")  # a member; the end of an empty archive


def list_members(archive: str) -> Iterator[Member]:
    """List the members of an archive: tar (plain or compressed) or zip, as its first bytes say.

    Raises:
        BleuError: it is not such an archive, is damaged, holds too much, or cannot be read.
    """
    with _explain_damage(archive), open(archive, "rb") as file:
        start = file.read(LONGEST_START)
        file.seek(0)
        listed = _zip_members(file, archive) if start.startswith(_ZIP_STARTS) else _tar_members(file, start, archive)
        for number, member in enumerate(listed):
            if number >= MOST_MEMBERS:
                raise too_large(archive, f"more than {MOST_MEMBERS} members")
            yield member


def plain_path(path: str) -> str:
    """Return the path of a member without a leading `./`, which means nothing.

    >>> plain_path("././dev/news.sgm")
    'dev/news.sgm'
    """
    while path.startswith("./"):
        path = path[2:].lstrip("/")
    return path


@contextmanager
def _explain_damage(archive: str) -> Iterator[None]:
    """Turn the libraries' errors about an archive into one line.

    Damage raises errors of many kinds, depending on the number, name or offset that it hit.
    """
    from struct import error as struct_error
    from tarfile import TarError
    from zipfile import BadZipFile
    from zlib import error as zlib_error

    try:
        yield
    except DamagedError as error:
        raise BleuError(f"{archive} {error.what}; {remedy(archive)}") from None
    except BleuError:
        raise
    except (TarError, BadZipFile, zlib_error, struct_error, EOFError, ArithmeticError, LookupError):
        raise _damage_of(archive, "its data are inconsistent") from None
    except (ValueError, RuntimeError):
        raise _damage_of(archive, "it cannot be decoded") from None
    except OSError as error:
        raise BleuError(f"{archive} cannot be read ({error.strerror or error}); check that it is there") from None


def _damage_of(archive: str, why: str) -> BleuError:
    return BleuError(f"{archive} is a damaged archive: {why}; {remedy(archive)}")


def remedy(archive: str) -> str:
    """Return what to do about a useless download; its recorded checksum, if there is one, must go, too."""
    record = record_of(archive)
    both = f" and {record}" if os.path.isfile(record) else ""
    return f"check where the download comes from and delete it{both}; it will then be downloaded again"


def _size_of(file: IO[bytes]) -> int:
    return os.fstat(file.fileno()).st_size


# --- tar


class _Stream:
    """Unpacked chunks as a file for tarfile: it is read forwards only, little by little, and its size is limited.

    Attributes:
        last: the bytes that were read last.
        packed: the number of bytes of the archive.
    """

    def __init__(self, chunks: Iterator[bytes], packed: int, archive: str) -> None:
        self.last = b""
        self._chunks = chunks
        self.packed = packed
        self._archive = archive
        self._left = memoryview(b"")
        self._position = 0

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise _damage_of(self._archive, "its members overlap")
        for _ in self._take(position - self._position):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        if not 0 <= size <= MOST_HEADER_BYTES:
            raise too_large(self._archive, f"a name of over {MOST_HEADER_BYTES} bytes")
        self.last = b"".join(self._take(size))
        return self.last

    def _take(self, size: int) -> Iterator[memoryview]:
        check_size(self._position + size, self.packed, self._archive, limits.MOST_BYTES)
        while size and self._fill():
            piece, self._left = self._left[:size], self._left[size:]
            self._position += len(piece)
            size -= len(piece)
            yield piece

    def _fill(self) -> bool:
        """Read the next chunk; return whether there was one."""
        while not self._left:
            chunk = next(self._chunks, None)
            if chunk is None:
                return False
            self._left = memoryview(chunk)
        return True

    def drain(self) -> None:
        """Read to the end, where the checksums are."""
        while self._fill():
            self.seek(self._position + len(self._left))


def _tar_members(file: IO[bytes], start: bytes, archive: str) -> Iterator[Member]:
    import tarfile

    codec = codec_of(start)
    chunks = iter(lambda: file.read(CHUNK_BYTES), b"")
    stream = _Stream(unpack(chunks, codec, archive, []) if codec else chunks, _size_of(file), archive)
    try:
        tar = tarfile.TarFile(fileobj=stream, encoding="utf-8", errors="surrogateescape")  # type: ignore[arg-type]
    except tarfile.ReadError:
        raise BleuError(
            f"{archive} is not an archive (it begins with {start!r}); expected tar, tar.gz, tar.bz2, tar.xz or zip;"
            f" {remedy(archive)}"
        ) from None
    with tar:
        while (info := tar.next()) is not None:
            if info.size < 0:
                raise _damage_of(archive, "a member has a negative size")
            yield Member(plain_path(info.name), _kind_in_tar(info), partial(_bytes_in_tar, stream, info, archive))
    # tarfile mistakes a header that it does not understand for the end of the archive
    if stream.last.strip(b"\0"):
        raise _damage_of(archive, "the header of a member is invalid")
    stream.drain()


def _kind_in_tar(info: TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link"
    if info.isdir():
        return "a folder"
    if info.issparse():
        return "a file with holes"
    return "" if info.isreg() else "a device or a pipe"


def _bytes_in_tar(stream: _Stream, info: TarInfo, archive: str) -> Iterator[bytes]:
    left = check_size(info.size, stream.packed, archive, limits.MOST_FILE_BYTES)
    with _explain_damage(archive):
        stream.seek(info.offset_data)
        while left > 0:
            chunk = stream.read(min(left, CHUNK_BYTES))
            if not chunk:
                raise _damage_of(archive, "it is cut short")
            yield chunk
            left -= len(chunk)


# --- zip


def _zip_members(file: IO[bytes], archive: str) -> Iterator[Member]:
    from zipfile import ZipFile

    with ZipFile(file) as zipped:
        infos = zipped.infolist()
        check_size(sum(info.file_size for info in infos), _size_of(file), archive, limits.MOST_BYTES)
        for info in infos:
            yield Member(plain_path(info.filename), _kind_in_zip(info), partial(_bytes_in_zip, zipped, info, archive))


def _kind_in_zip(info: ZipInfo) -> str:
    from zipfile import ZIP_DEFLATED, ZIP_STORED

    mode = info.external_attr >> 16  # as Unix writes it; elsewhere 0
    if stat.S_ISLNK(mode):
        return "a link"
    if info.is_dir():
        return "a folder"
    if stat.S_IFMT(mode) not in (0, stat.S_IFREG):
        return "a device or a pipe"
    if info.flag_bits & 1:
        return "an encrypted file"
    return "" if info.compress_type in (ZIP_STORED, ZIP_DEFLATED) else "a file that is neither stored nor deflated"


def _bytes_in_zip(zipped: ZipFile, info: ZipInfo, archive: str) -> Iterator[bytes]:
    # Only the member's size: `_zip_members` has compared the size of all members with that of the archive
    check_size(info.file_size, info.file_size, archive, limits.MOST_FILE_BYTES)
    with _explain_damage(archive), zipped.open(info) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
