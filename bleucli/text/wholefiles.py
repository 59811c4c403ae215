"""Files that are complete or absent: a reader gets the last complete version, even if a later write failed.

A new file replaces the old one. A file is written in place only where that is impossible or would change more than its
content: if it has several hard links, is a mount point, is in a folder without write permission, or has an owner that
the new one cannot have. If writing in place fails, the old content is restored; only a kill or a power cut at that
moment leaves an incomplete file.

The streams of this process are written where they stand: the shell, and other programs, write to them too.

- `write_file`: replaces a file, or writes a new one
- `descriptor_of`: the descriptor that a path such as /dev/stdout names
- `spool`: collects data until they are complete
- `Aside`: one line about a temporary file that cannot be written
- `copy`, `write_all`: write to raw streams
- `digest`: the checksum of a file
"""

from __future__ import annotations

import os
import stat
from errno import EACCES, EBUSY, EINVAL, EISDIR, EPERM, EROFS, EXDEV

from bleucli.errors import BleuError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import IO

_PIECE = 1 << 20
# Errors of files that cannot be replaced, but may be written
_IRREPLACEABLE = (EACCES, EBUSY, EINVAL, EPERM, EROFS, EXDEV)
# Folders in which a process sees its own descriptors
_DESCRIPTORS = r"/dev/fd|/proc/{process}(/task/\d+)?/fd"
_MOST_LINKS = 40  # as in Linux


class Aside:
    """A context in which temporary files are written; errors of the system become one line.

    >>> with Aside():
    ...     raise OSError(28, "No space left on device")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    bleucli.errors.BleuError: cannot write a temporary file: No space left on device; set TMPDIR to ...
    """

    def __enter__(self) -> None:
        """Do nothing."""

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> None:
        """Raise the error in one line."""
        if isinstance(error, OSError):
            raise BleuError(
                f"cannot write a temporary file: {error.strerror or error}; set TMPDIR to a folder with free space"
            ) from None


def digest(path: str, kind: str = "sha256") -> str:
    """Return the checksum of a file in hexadecimal digits; kind: "sha256" or "md5".

    Raises:
        OSError: it cannot be read.
    """
    import hashlib

    with open(path, "rb") as file:
        # With usedforsecurity=False, md5 works even where a policy (FIPS) forbids it for security
        return hashlib.file_digest(file, lambda: hashlib.new(kind, usedforsecurity=False)).hexdigest()


def copy(answer: IO[bytes], target: IO[bytes]) -> None:
    """Write the rest of a file to a raw stream."""
    while piece := answer.read(_PIECE):
        write_all(target, piece)


def write_all(target: IO[bytes], data: bytes) -> None:
    """Write to a raw stream, which may accept only a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) or 0 :]


def spool(chunks: Iterable[bytes]) -> IO[bytes]:
    """Return all chunks as one file, ready to be read; a small file stays in memory.

    Raises:
        OSError: a temporary file cannot be written.
    """
    from io import BytesIO

    memory = BytesIO()
    remaining = iter(chunks)
    for chunk in remaining:
        memory.write(chunk)
        if memory.tell() > _PIECE:
            break
    else:
        memory.seek(0)
        return memory
    from tempfile import TemporaryFile

    file = TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
    file.write(memory.getvalue())
    file.writelines(remaining)
    file.seek(0)
    return file


def write_file(answer: IO[bytes], name: str) -> None:
    """Write to a stream of this process, a pipe or a device directly; replace a regular file, following links.

    answer: the new content, a seekable file at its start.

    Raises:
        OSError: it cannot be written; an old file is then unchanged.
    """
    if name.endswith(os.sep):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    descriptor = descriptor_of(name)
    if descriptor is None:
        descriptor = _standard_stream_of(name)
    if descriptor is not None:
        with open(descriptor, "wb", buffering=0, closefd=False) as stream:
            copy(answer, stream)
        return
    try:
        old = os.stat(name)
    except FileNotFoundError:
        _replace(answer, os.path.realpath(name), None)
        return
    if not stat.S_ISREG(old.st_mode):
        with open(name, "wb", buffering=0) as target:
            copy(answer, target)
        return
    os.close(os.open(name, os.O_WRONLY))  # if it may not be written, this raises the system's error
    path = os.path.realpath(name)
    if old.st_nlink > 1:
        _rewrite(answer, path)
        return
    try:
        _replace(answer, path, old)
    except OSError as error:
        if error.errno not in _IRREPLACEABLE:
            raise
        answer.seek(0)
        _rewrite(answer, path)


def descriptor_of(name: str) -> int | None:
    """Return the descriptor that a path names, through links or directly; None if it names none.

    Links are followed only as far as the descriptor: it may be open on a log that others write to.
    """
    for _ in range(_MOST_LINKS):
        folder, last = os.path.split(name)
        folder = os.path.realpath(folder)
        if last.isdecimal():
            import re  # rarely needed, and slow to import

            if re.fullmatch(_DESCRIPTORS.format(process=os.getpid()), folder):
                return int(last)
        name = os.path.join(folder, last)
        if not os.path.islink(name):
            return None
        name = os.path.join(folder, os.readlink(name))
    return None


def _standard_stream_of(name: str) -> int | None:
    """Return 1 or 2 if stdout or stderr is connected to the file of that name; else None."""
    for descriptor in (1, 2):
        try:
            if os.path.samestat(os.stat(name), os.fstat(descriptor)):
                return descriptor
        except OSError:  # there is no such file yet, or the stream is closed
            continue
    return None


def _replace(answer: IO[bytes], path: str, old: os.stat_result | None) -> None:
    """Write a new file next to the old one, then replace the old one; keep its owner, group and mode."""
    # The name is random, because a killed run may leave such a file, and short, because the file's own name may already
    # have the greatest length
    beside = os.path.join(os.path.dirname(path), f".bleu-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        # Until it has the old file's owner and mode, no one else may read it
        with open(os.open(beside, flags, 0o666 if old is None else 0o600), "wb", buffering=0) as file:
            copy(answer, file)
            os.fsync(file.fileno())
            new = os.fstat(file.fileno())
        if old is not None:
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                os.chown(beside, old.st_uid, old.st_gid)  # before the mode, of which chown may clear bits
            os.chmod(beside, stat.S_IMODE(old.st_mode))
        os.replace(beside, path)
    except BaseException:
        if os.path.lexists(beside):
            os.unlink(beside)
        raise


def _rewrite(answer: IO[bytes], path: str) -> None:
    """Overwrite a file; restore its old content if that fails."""
    with open(path, "r+b", buffering=0) as file, spool(iter(lambda: file.read(_PIECE), b"")) as old:
        try:
            _write_over(file, answer)
        except BaseException:
            old.seek(0)
            _write_over(file, old)
            raise


def _write_over(file: IO[bytes], content: IO[bytes]) -> None:
    file.seek(0)
    copy(content, file)
    file.truncate()
    os.fsync(file.fileno())
