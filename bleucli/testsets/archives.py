"""Unpack archives: only the files that are wanted, completely or not at all, under names that we choose.

- `extract`: some members of a tar or zip archive, each to its place
- `list_members`: the members of an archive, one after the other, their kinds and their bytes
- `is_safe`: whether a path stays below a folder

Everything else in an archive is ignored, so `../`, links and devices in it do no harm. No size in an archive is
trusted: one that unpacks into far more than any test set (a bomb) is refused before it fills memory or disk.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import partial

from bleucli import testsets
from bleucli.errors import BleuError
from bleucli.phrases import suggest
from bleucli.reading.decompression import LONGEST_START, DamagedError, codec_of, unpack
from bleucli.records import NamedTuple
from bleucli.testsets import check_size, record_of, too_large
from bleucli.testsets.cache import Draft, disk_errors, hold_lock, make_folder, sweep

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tarfile import TarInfo
    from typing import IO
    from zipfile import ZipFile, ZipInfo

# Far more than any test set has
MOST_MEMBERS = 100_000
# tarfile reads a long name or a comment at once, whatever its size
MOST_HEADER_BYTES = 1 << 20
CHUNK_BYTES = 1 << 16
_ZIP_STARTS = (b"PK\3\4", b"PK\5\6")  # a member; the end of an empty archive


def extract(archive: str, wanted: Mapping[str, str], *, name: str, replace: bool = False) -> None:
    """Unpack the members of a tar or zip archive that are not in their places yet, or, with `replace`, all.

    If the archive has a member twice, the last one is taken, as by `tar`. If it is damaged, nothing is unpacked.
    wanted: the place of each member, by its path in the archive. name: what messages call the test set.
    """
    places = {_check_path(path, name): target for path, target in wanted.items()}
    places = {path: target for path, target in places.items() if replace or not os.path.isfile(target)}
    lock = f"{archive}.members.lock"
    if not places:
        sweep(lock)
        return
    with disk_errors(archive), hold_lock(lock), ExitStack() as stack:
        # 1. Write the members as drafts
        kinds, drafts = {}, {}
        for member in list_members(archive):
            kinds[member.path] = member.kind
            if member.path in places and not member.kind:
                target = places[member.path]
                with disk_errors(target):
                    make_folder(os.path.dirname(target) or ".")
                    draft = drafts[member.path] = stack.enter_context(Draft(target))
                    draft.file.writelines(member.chunks())
                    draft.close()
        # 2. Now that the whole archive could be read: is everything there?
        for path in places:
            kind, where = kinds.get(path), f"{name}: {archive}"
            if kind:
                raise BleuError(
                    f"{where}: {path!r} is {kind}, not a plain file; name another member, or {remedy(archive)}"
                )
            if kind is None:
                raise BleuError(
                    f"{where} has no member {path!r}; name one that it has, or {remedy(archive)}{suggest(path, kinds)}"
                )
        # 3. Give the files their own names
        for path in places:
            drafts[path].keep()


def _check_path(path: str, name: str) -> str:
    if not is_safe(plain := plain_path(path)):
        raise BleuError(
            f"{name} names the archive member {path!r}, which is not a safe path; expected a relative path such as"
            " news/en-de.xml, without .. and backslashes"
        )
    return plain


def is_safe(path: str) -> bool:
    r"""Return whether a path stays below any folder that it is appended to, on every system.

    >>> is_safe("dev/news.sgm"), is_safe("../news.sgm"), is_safe("/dev/news.sgm"), is_safe("C:news"), is_safe("a\\b")
    (True, False, False, False, False)
    """
    if "\\" in path or path[1:2] == ":" or not path.isprintable():
        return False
    return all(part.strip(". ") for part in path.split("/"))  # Windows drops dots and spaces at the end


# --- members


class Member(NamedTuple):
    """A member of an archive."""

    path: str  # below the archive's root
    kind: str  # what it is if it is not a plain file; else ""
    chunks: Callable[[], Iterator[bytes]]  # gives its bytes; in a tar archive only until the next member is requested


def list_members(archive: str) -> Iterator[Member]:
    """List the members of an archive: tar (plain or compressed) or zip, as its first bytes say."""
    with _explain_damage(archive), open(archive, "rb") as file:
        start = file.read(LONGEST_START)
        file.seek(0)
        is_zip = start.startswith(_ZIP_STARTS)
        for number, member in enumerate(_zip_members(file, archive) if is_zip else _tar_members(file, start, archive)):
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


# --- tar


class _Stream:
    """Unpacked chunks as a file for tarfile: it is read forwards only, little by little, and its size is limited.

    last: the bytes that were read last. packed: the number of bytes of the archive.
    """

    def __init__(self, chunks: Iterator[bytes], packed: int, archive: str) -> None:
        self.last, self.packed = b"", packed
        self._chunks, self._archive = filter(None, chunks), archive
        self._buffer = bytearray()  # what was unpacked and not read yet
        self._position = 0

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> int:
        if position < self._position:
            raise _damage_of(self._archive, "its members overlap")
        check_size(position, self.packed, self._archive, testsets.MOST_BYTES)
        while self.read(min(position - self._position, CHUNK_BYTES)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        if not 0 <= size <= MOST_HEADER_BYTES:
            raise too_large(self._archive, f"a name of over {MOST_HEADER_BYTES} bytes")
        while len(self._buffer) < size and (chunk := next(self._chunks, b"")):
            self._buffer += chunk
            check_size(self._position + len(self._buffer), self.packed, self._archive, testsets.MOST_BYTES)
        with memoryview(self._buffer) as buffer:
            self.last = bytes(buffer[:size])
        del self._buffer[:size]
        self._position += len(self.last)
        return self.last


def _tar_members(file: IO[bytes], start: bytes, archive: str) -> Iterator[Member]:
    import tarfile

    codec = codec_of(start)
    chunks = iter(lambda: file.read(CHUNK_BYTES), b"")
    stream = _Stream(unpack(chunks, codec, archive, []) if codec else chunks, os.fstat(file.fileno()).st_size, archive)
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
    while stream.read(CHUNK_BYTES):  # to the end, where the checksums are
        pass


def _kind_in_tar(info: TarInfo) -> str:
    if info.issym() or info.islnk():
        return "a link"
    if info.isdir():
        return "a folder"
    if info.issparse():
        return "a file with holes"
    return "" if info.isreg() else "a device or a pipe"


def _bytes_in_tar(stream: _Stream, info: TarInfo, archive: str) -> Iterator[bytes]:
    check_size(info.size, stream.packed, archive, testsets.MOST_FILE_BYTES)
    remainder = info.size
    with _explain_damage(archive):
        stream.seek(info.offset_data)
        while remainder > 0:
            chunk = stream.read(min(remainder, CHUNK_BYTES))
            if not chunk:
                raise _damage_of(archive, "it is cut short")
            yield chunk
            remainder -= len(chunk)


# --- zip


def _zip_members(file: IO[bytes], archive: str) -> Iterator[Member]:
    from zipfile import ZipFile

    with ZipFile(file) as zipped:
        infos = zipped.infolist()
        check_size(sum(info.file_size for info in infos), os.fstat(file.fileno()).st_size, archive, testsets.MOST_BYTES)
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
    check_size(info.file_size, info.file_size, archive, testsets.MOST_FILE_BYTES)
    with _explain_damage(archive), zipped.open(info) as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk
