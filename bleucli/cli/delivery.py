"""Where the answer goes: to standard output, or to the file of --output.

- `deliver`: write the answer once it is complete, or add it to a file
- `spool`: keep what is not complete yet
- `refuse_overwriting`: keep what is read from being written
- `refuse_foreign`: keep lines from being added to another file than a history

A file is replaced by a new one, so that it is there whole or not at all. It is written in place where it cannot be
replaced or would become another file: if it has several hard links, is mounted by itself, stands in a folder that must
not be written, or has an owner that the new one cannot have. What stood there is put back if that fails; only a kill or
a power cut at that moment leaves a part.
"""

import os
import stat
from collections.abc import Iterable
from errno import EACCES, EBUSY, EINVAL, EISDIR, EPERM, EROFS, EXDEV

from bleucli.cli.streams import Environment, encode, shown, write_all
from bleucli.errors import BleuError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_SPOOL_BYTES = 1 << 20
# More than the line of a score of any number of systems takes
_LONGEST_LINE = 1 << 24
# What says that a file cannot be replaced, though it may be written
_IRREPLACEABLE = (EACCES, EBUSY, EINVAL, EPERM, EROFS, EXDEV)


def deliver(chunks: Iterable[str], path: str | None, environment: Environment, append: bool = False) -> None:
    """Write the answer to `path`, or else to stdout, once it is complete; append: behind what is there.

    Raises:
        BleuError: it cannot be written.
        BrokenPipeError: nobody reads stdout any more.
    """
    with spool(map(encode, chunks)) as answer:
        # Opening stdout's own file anew would cut off what others wrote to it
        to_stdout = path is None or (not append and is_file_of(environment.stdout, path))
        if to_stdout and environment.stdout is None:
            raise BleuError("cannot write standard output: it is closed; name a file with --output")
        try:
            if path is not None and append:
                _append(answer, path)
            elif path is not None and not to_stdout:
                _write_file(answer, path)
            elif environment.stdout is not None:
                _copy(answer, environment.stdout)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _unwritable(shown(path) if path and not to_stdout else "standard output", error) from None


def is_file_of(stream: "IO[bytes] | None", path: str) -> bool:
    """Return whether a standard stream is connected to the file or device of that name."""
    if stream is None:
        return False
    try:
        return os.path.samestat(os.stat(path), os.fstat(stream.fileno()))
    except OSError:  # no such file, or a stream without descriptor
        return False


def refuse_overwriting(output: str | None, inputs: Iterable[str]) -> None:
    """Refuse an answer that would go to a file which is read.

    Raises:
        UsageError: it would.
    """
    if output is None or not os.path.isfile(output):
        return
    for path in inputs:
        if path != "-" and os.path.exists(path) and os.path.samefile(path, output):
            raise UsageError(f"--output {shown(output)} is also read; name another file")


def spool(chunks: Iterable[bytes]) -> "IO[bytes]":
    """Return all chunks as one file, ready to be read; in memory while it is small."""
    from io import BytesIO

    memory = BytesIO()
    remaining = iter(chunks)
    for chunk in remaining:
        memory.write(chunk)
        if memory.tell() > _SPOOL_BYTES:
            break
    else:
        memory.seek(0)
        return memory
    from tempfile import TemporaryFile

    try:
        file = TemporaryFile()  # noqa: SIM115 - closed by whoever reads it
        file.write(memory.getvalue())
        file.writelines(remaining)
        file.seek(0)
    except OSError as error:
        raise _unwritable("a temporary file", error) from None
    return file


def _copy(answer: "IO[bytes]", target: "IO[bytes]") -> None:
    while piece := answer.read(_SPOOL_BYTES):
        write_all(target, piece)


def _unwritable(name: str, error: OSError) -> BleuError:
    return BleuError(f"cannot write {name}: {error.strerror or error}; name a writable file with --output")


# --- the file of --output


def _write_file(answer: "IO[bytes]", name: str) -> None:
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
            _copy(answer, target)
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
            _copy(answer, file)
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
    with open(path, "r+b", buffering=0) as file, spool(iter(lambda: file.read(_SPOOL_BYTES), b"")) as old:
        try:
            _write_over(file, answer)
        except BaseException:
            old.seek(0)
            _write_over(file, old)
            raise


def _write_over(file: "IO[bytes]", content: "IO[bytes]") -> None:
    file.seek(0)
    _copy(content, file)
    file.truncate()
    os.fsync(file.fileno())


# --- a history


def refuse_foreign(path: str) -> None:
    """Refuse to add lines to a file that exists and is not a history.

    Raises:
        BleuError: it is not, or it cannot be read.
    """
    if not os.path.isfile(path):
        return
    try:
        with open(path, "rb") as file:
            _lock(file, shown(path), shared=True)
            _check_history(file, shown(path))
    except OSError as error:
        raise _unwritable(shown(path), error) from None


def _append(answer: "IO[bytes]", name: str) -> None:
    """Write behind what is in a file, under a lock, so that the lines of several writers stay whole.

    Raises:
        OSError: it cannot be written; what stood there stands there still.
        BleuError: its disk cannot lock, or it is not a history.
    """
    if os.path.exists(name) and not os.path.isfile(name):
        with open(name, "ab", buffering=0) as target:
            _copy(answer, target)
        return
    with open(name, "a+b", buffering=0) as file:
        _lock(file, shown(name))
        _check_history(file, shown(name))
        end = file.seek(0, os.SEEK_END)
        try:
            _copy(answer, file)
            os.fsync(file.fileno())
        except BaseException:
            file.truncate(end)
            raise


def _lock(file: "IO[bytes]", name: str, shared: bool = False) -> None:
    """Wait until nobody else writes to a file, or, with `shared`, until nobody writes; the lock ends with the file.

    Raises:
        BleuError: its disk cannot lock.
    """
    from portalocker import LockFlags, lock
    from portalocker.exceptions import BaseLockException

    try:
        lock(file, LockFlags.SHARED if shared else LockFlags.EXCLUSIVE)
    except BaseLockException as error:
        raise BleuError(f"cannot lock {name} ({error}); name a file on a disk that can lock") from None


def _check_history(file: "IO[bytes]", name: str) -> None:
    """Refuse a file that is neither empty nor made of lines of jsonl.

    Raises:
        BleuError: its first line is another one, or its last one does not end.
    """
    from bleucli.output.jsonl_text import is_ours

    if not file.seek(0, os.SEEK_END):
        return
    with open(file.fileno(), "rb", closefd=False) as buffered:  # unbuffered, it takes a call for each byte
        buffered.seek(-1, os.SEEK_END)
        last = buffered.read(1)
        buffered.seek(0)
        first = buffered.readline(_LONGEST_LINE)
    if not is_ours(first):
        raise BleuError(f"{name} has other lines than those of -f jsonl; name another file with --output")
    if last != b"\n":
        raise BleuError(f"the last line of {name} has no end, as after a kill; delete it, or end it with a line break")
