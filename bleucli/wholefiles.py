"""Files that are whole or not there: what is read of one is what was written last, whatever broke off since.

A file is replaced by a new one, so that it is there whole or not at all. It is written in place where it cannot be
replaced or would become another file: if it has several hard links, is mounted by itself, stands in a folder that must
not be written, or has an owner that the new one cannot have. What stood there is put back if that fails; only a kill or
a power cut at that moment leaves a part.

- `write_file`: replace a file, or write a new one
- `spool`: keep what is not complete yet
- `copy`, `write_all`: to raw streams
"""

import os
import stat
from collections.abc import Iterable
from errno import EACCES, EBUSY, EINVAL, EISDIR, EPERM, EROFS, EXDEV

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_PIECE = 1 << 20
# What says that a file cannot be replaced, though it may be written
_IRREPLACEABLE = (EACCES, EBUSY, EINVAL, EPERM, EROFS, EXDEV)


def copy(answer: "IO[bytes]", target: "IO[bytes]") -> None:
    """Write the rest of one file to another, which is raw."""
    while piece := answer.read(_PIECE):
        write_all(target, piece)


def write_all(target: "IO[bytes]", data: bytes) -> None:
    """Write to a raw stream, which may take a part at a time."""
    rest = memoryview(data)
    while rest:
        rest = rest[target.write(rest) or 0 :]


def spool(chunks: Iterable[bytes]) -> "IO[bytes]":
    """Return all chunks as one file, ready to be read; in memory while it is small.

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


def write_file(answer: "IO[bytes]", name: str) -> None:
    """Write to a pipe or device as it is; replace a regular file, links followed.

    Raises:
        OSError: it cannot be written; an old file is then as it was.
    """
    if name.endswith(os.sep):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    try:
        old = os.stat(name)
    except FileNotFoundError:
        _replace(answer, os.path.realpath(name), None)
        return
    if not stat.S_ISREG(old.st_mode):
        with open(name, "wb", buffering=0) as target:
            copy(answer, target)
        return
    os.close(os.open(name, os.O_WRONLY))  # else the system says here why not
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


def _replace(answer: "IO[bytes]", path: str, old: os.stat_result | None) -> None:
    """Write a new file beside the old one, which it then replaces, with its owner, group and mode."""
    # A name of its own, for it may be left by a killed run; short, for the file's own may be as long as names can be
    beside = os.path.join(os.path.dirname(path), f".bleu-{os.urandom(8).hex()}.tmp")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        with open(os.open(beside, flags, 0o666 if old is None else 0o600), "wb", buffering=0) as file:
            copy(answer, file)
            os.fsync(file.fileno())
            new = os.fstat(file.fileno())
        if old is not None:
            if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
                os.chown(beside, old.st_uid, old.st_gid)
            os.chmod(beside, stat.S_IMODE(old.st_mode))
        os.replace(beside, path)
    except BaseException:
        if os.path.lexists(beside):
            os.unlink(beside)
        raise


def _rewrite(answer: "IO[bytes]", path: str) -> None:
    """Write over a file; put back what stood there if that fails."""
    with open(path, "r+b", buffering=0) as file, spool(iter(lambda: file.read(_PIECE), b"")) as old:
        try:
            _write_over(file, answer)
        except BaseException:
            old.seek(0)
            _write_over(file, old)
            raise


def _write_over(file: "IO[bytes]", content: "IO[bytes]") -> None:
    file.seek(0)
    copy(content, file)
    file.truncate()
    os.fsync(file.fileno())
