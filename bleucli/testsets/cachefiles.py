"""Files of the cache. All of them are written here, with care: other users may write to a shared cache, too.

- `make_folder`: a folder, and those above it
- `Draft`: a new file under a name that no one can guess, until it gets its own name
- `create`, `reopen`: a file that the same user's next run finds again
- `open_lock`: a file that everyone may lock
- `remove`, `replace`, `read_start`: for files that exist
- `disk_errors`: errors of the disk as a `BleuError`, in one line

Nothing is opened, written or removed through a link. A folder of the cache may be a link only if the link is ours or
root's; `read_start` alone does not check this. The path to the cache itself is the user's choice, so links on it are
followed.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError
from bleucli.testsets.cache import cache_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    # A name and the descriptor of its folder; on systems without such descriptors, a path and None
    Place = tuple[str, int | None]

# Windows has no descriptors of folders, but only administrators may make links there
_HAS_DESCRIPTORS = {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd
# No link is followed, a pipe in place of a file does not block, and Windows changes no line ends
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | _PLAIN
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)
_DRAFT = r"\.[0-9a-f]{16}\.new"


# --- folders


def make_folder(path: str) -> None:
    """Make a folder, and those above it, unless they are there.

    Raises:
        OSError: it cannot be made.
        BleuError: a folder on the way is another user's link.
    """
    with _enter(path, make=True):
        pass


@contextmanager
def _locate(path: str) -> Iterator[Place]:
    """Give the name of a file, and the descriptor of its folder; errors of the system name the full path."""
    folder, name = os.path.split(path)
    try:
        with _enter(folder or ".") as descriptor:
            yield (path if descriptor is None else name), descriptor
    except OSError as error:
        if not os.path.isabs(error.filename or ""):
            error.filename, error.filename2 = path, None
        raise


@contextmanager
def _enter(folder: str, make: bool = False) -> Iterator[int | None]:
    """Give a descriptor of a folder, which is reached without following another user's link."""
    top, below = _split_at_cache(folder)
    if make:
        os.makedirs(top if _HAS_DESCRIPTORS else folder, exist_ok=True)
    if not _HAS_DESCRIPTORS:
        yield None
        return
    descriptor = os.open(top, _FOLDER)
    try:
        for part in below:
            top = os.path.join(top, part)
            outer, descriptor = descriptor, _open_folder(descriptor, part, top, make)
            os.close(outer)
        yield descriptor
    finally:
        os.close(descriptor)


def _split_at_cache(folder: str) -> tuple[str, list[str]]:
    """Return the folder below which links are checked (that of the cache) and the names below it."""
    top = cache_directory()
    below = os.path.join(folder, "").removeprefix(os.path.join(top, ""))
    if below == os.path.join(folder, ""):
        return folder, []
    return top, [part for part in below.split(os.sep) if part]


def _open_folder(outer: int, name: str, path: str, make: bool) -> int:
    """Return a descriptor of a folder in a folder."""
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=outer)
        link = os.stat(name, dir_fd=outer, follow_symlinks=False)
        if not stat.S_ISLNK(link.st_mode):
            return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=outer)
        if link.st_uid in (0, os.geteuid()):
            descriptor = os.open(name, _FOLDER, dir_fd=outer)
            if _stamp(link) == _stamp(os.stat(name, dir_fd=outer, follow_symlinks=False)):
                return descriptor
            os.close(descriptor)
    except OSError as error:
        error.filename = path
        raise
    raise BleuError(
        f"{path} is a link that belongs to another user, so bleu does not follow it; delete it, or set BLEU_HOME to a"
        " folder of your own"
    )


def _stamp(status: os.stat_result) -> tuple[int, int]:
    """Return a value that differs if another link takes the place of this one, even for a moment."""
    return status.st_ino, status.st_ctime_ns


# --- new files


class Draft:
    """A new file under a name that no one can guess, until `keep` gives it its own; a context removes it unless kept.

    Drafts of the same file that a killed run left are removed. No one else is writing them: that takes the file's lock.

    Args:
        path: the file's own place; a file or link that is there is replaced.
        folder: the folder of the draft, on the same disk; by default, the file's own folder.
    """

    def __init__(self, path: str, folder: str = "") -> None:
        self.path = path
        folder = folder or os.path.dirname(path)
        _remove_drafts(folder, os.path.basename(path))
        self._draft = os.path.join(folder, f"{os.path.basename(path)}.{os.urandom(8).hex()}.new")
        self.file = create(self._draft)

    def close(self) -> None:
        """Close the file after flushing it to the disk."""
        if not self.file.closed:
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()

    def keep(self) -> None:
        """Give the file its own name."""
        self.close()
        replace(self._draft, self.path)
        self._draft = ""

    def __enter__(self) -> Draft:
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):  # the rest of the buffer may not fit on the disk
            self.file.close()
        if self._draft:
            with suppress(OSError):
                remove(self._draft)


def _remove_drafts(folder: str, name: str) -> None:
    pattern = re.compile(re.escape(name) + _DRAFT)
    with suppress(FileNotFoundError):
        for one in filter(pattern.fullmatch, os.listdir(folder or ".")):
            with suppress(OSError):  # a folder of that name, or another user's file
                remove(os.path.join(folder, one))


def create(path: str) -> IO[bytes]:
    """Make a new file to read and write.

    Raises:
        OSError: the file exists, or cannot be made.
    """
    with _locate(path) as (name, folder):
        return os.fdopen(os.open(name, _NEW, 0o666, dir_fd=folder), "w+b")


def reopen(path: str) -> IO[bytes] | None:
    """Open a file that an earlier run left, to read it and append to it.

    Returns:
        None unless it is a plain file of this user with no other hard link.
    """
    try:
        with _locate(path) as (name, folder):
            descriptor = os.open(name, os.O_RDWR | os.O_APPEND | _PLAIN, dir_fd=folder)
    except OSError:
        return None
    status = os.fstat(descriptor)
    # Another user could have put a hard link to another file of ours here, and we would append to that
    is_ours = not hasattr(os, "geteuid") or status.st_uid == os.geteuid()
    if stat.S_ISREG(status.st_mode) and status.st_nlink == 1 and is_ours:
        return os.fdopen(descriptor, "a+b")
    os.close(descriptor)
    return None


def open_lock(path: str) -> IO[bytes]:
    """Open a file that every user may lock, even if another user left it; make it if it is missing.

    Raises:
        OSError: it cannot be made or read.
        BleuError: it is not a plain file.
    """
    with _locate(path) as (name, folder):
        while True:  # others may make or remove the file between our two attempts
            try:
                return os.fdopen(_open_plain(name, path, folder), "rb")
            except FileNotFoundError:
                with suppress(FileExistsError):
                    file = create(path)
                    if hasattr(os, "fchmod"):  # regardless of the umask, since another user may wait for it
                        os.fchmod(file.fileno(), 0o666)
                    return file


def _open_plain(name: str, path: str, folder: int | None = None) -> int:
    """Return a descriptor of a plain file: for writing, which locks on network disks need; else for reading."""
    try:
        descriptor = os.open(name, os.O_RDWR | _PLAIN, dir_fd=folder)
    except PermissionError:
        descriptor = os.open(name, os.O_RDONLY | _PLAIN, dir_fd=folder)
    except OSError:
        if os.path.islink(path):
            raise _not_plain(path) from None
        raise
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise _not_plain(path)
    return descriptor


def _not_plain(path: str) -> BleuError:
    return BleuError(f"{path} is a link, a pipe or a device, not a plain file; delete it")


# --- what is there


def read_start(path: str, most: int = 1 << 20) -> bytes | None:
    """Return the start of a small file; None if there is none.

    Raises:
        OSError: it cannot be read.
        BleuError: it is not a plain file.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | _PLAIN)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        if os.path.islink(path):
            raise _not_plain(path) from None
        raise
    with os.fdopen(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise _not_plain(path)
        return file.read(most)


def remove(path: str) -> None:
    """Remove a file or a link (not its target) if it exists."""
    with suppress(FileNotFoundError), _locate(path) as (name, folder):
        os.remove(name, dir_fd=folder)


def replace(path: str, target: str) -> None:
    """Give a file another name; a file or link of that name is replaced."""
    with _locate(path) as (name, folder), _locate(target) as (other, its_folder):
        os.replace(name, other, src_dir_fd=folder, dst_dir_fd=its_folder)


@contextmanager
def disk_errors(target: str) -> Iterator[None]:
    """Turn errors of the disk into a `BleuError`, which names `target` if the system names no file."""
    try:
        yield
    except OSError as error:
        raise BleuError(
            f"cannot write {error.filename or target}: {error.strerror or error}; free some space, allow writing, or"
            " set BLEU_HOME to another folder"
        ) from None
