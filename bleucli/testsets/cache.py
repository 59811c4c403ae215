"""The cache: which folder it is, where its files are, and the environment variables about it, read only here.

- `cache_directory`, `cache_directories`, `choose_directories`, `twins_of`: the folders
- `mirror`, `offline`, `allows_http`, `registry`: what else users decide; `use`: what a command does
- `folder`, `raw_folder`, `path_of`, `paths_of`, `download_path`, `field_prefix`: the files of a test set, with the same
  names as in sacreBLEU, in the cache that is written to or in `cache`
- `keep_apart`, `file_key`, `is_file_name`: names that are distinct, or possible, on every system
- `make_folder`: a folder, and those above it
- `Draft`: a new file under a name that no one can guess, until it gets its own name
- `create`, `remove`, `replace`, `read_start`: single files
- `hold_lock`, `sweep`: one process at a time
- `disk_errors`: errors of the disk as a `BleuError`, in one line

All files of the cache are written here, with care: other users may write to a shared cache, too. Nothing is opened,
written or removed through a link. A folder of the cache may be a link only if the link is ours or root's; `read_start`
alone does not check this. The path to the cache itself is the user's choice, so links on it are followed.

A process that dies loses its lock; the lock's file stays until the next process locks and removes it.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError
from bleucli.testsets import last_component
from bleucli.waiting import lock, try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

    # A name and the descriptor of its folder; on systems without such descriptors, a path and None
    Place = tuple[str, int | None]

# Limits of a label that is part of a file's name, on every system: the most bytes, with room for the test set's name
# before it, and the characters that it must not have
MOST_NAME_BYTES = 100
UNSAFE = frozenset('/\\<>"|?*')


def cache_directory() -> str:
    """Return the folder that downloads are written to, the first of `cache_directories`."""
    return cache_directories()[0]


def cache_directories() -> list[str]:
    """Return the folders of downloads: the one to write to, and any other to read from.

    These are `$BLEU_HOME`, or `$SACREBLEU`, or the platform's and `~/.sacrebleu`; see `choose_directories`.
    A cache that sacreBLEU filled is used unchanged.
    """
    return choose_directories(_variables(), os.path.expanduser("~"), sys.platform, os.path.isdir)


def twins_of(path: str) -> list[str]:
    """Return the places of a file of the cache in the caches that are only read."""
    own, *twins = cache_directories()
    inside = path.removeprefix(os.path.join(own, ""))
    return [] if inside == path else [os.path.join(twin, inside) for twin in twins]


def _variables() -> Mapping[str, str]:
    return os.environ


# What the command that runs has set: a mirror, and whether redirections from https to http are followed
_settings: list[tuple[str, bool]] = []


@contextmanager
def use(mirror_url: str | None, http: bool) -> Iterator[None]:
    """Within the block, use a mirror, if any, instead of the one that `BLEU_MIRROR` names, and perhaps allow http."""
    _settings.append((mirror() if mirror_url is None else mirror_url, http or allows_http()))
    try:
        yield
    finally:
        _settings.pop()


def mirror() -> str:
    """Return the address that is tried before any other, or ""."""
    return _settings[-1][0] if _settings else os.path.expanduser(_variables().get("BLEU_MIRROR", ""))


def allows_http() -> bool:
    """Return whether redirections from https to http may be followed."""
    return bool(_settings) and _settings[-1][1]


def registry() -> str:
    """Return the path of the user's own registry of test sets (`BLEU_REGISTRY`), or ""."""
    return os.path.expanduser(_variables().get("BLEU_REGISTRY", ""))


def offline() -> bool:
    """Return whether the network must not be used (`BLEU_OFFLINE`, unless it is empty or 0)."""
    return _variables().get("BLEU_OFFLINE", "") not in ("", "0")


def choose_directories(
    variables: Mapping[str, str], home: str, platform: str, exists: Callable[[str], bool]
) -> list[str]:
    """Decide on the folders of downloads: the one to write to, and any other to read from.

    Once the platform's folder exists, it is the one to write to, so that the cache does not move when another program
    makes `~/.sacrebleu`. An empty variable counts as unset.

    >>> choose_directories({"SACREBLEU": "/data/sacrebleu"}, "/home/ada", "linux", lambda folder: False)
    ['/data/sacrebleu']
    >>> choose_directories({"BLEU_HOME": "~/bleu"}, "/home/ada", "linux", lambda folder: True)
    ['/home/ada/bleu']
    >>> choose_directories({}, "/home/ada", "linux", lambda folder: True)
    ['/home/ada/.cache/bleu', '/home/ada/.sacrebleu']
    """
    if own := variables.get("BLEU_HOME"):
        if own == "~" or own.startswith("~/"):  # no shell has expanded it, as in a Dockerfile or a systemd unit
            return [home + own[1:]]
        return [os.path.expanduser(own)]
    # Quirk: sacreBLEU takes a tilde in its variable as the name of a folder, and we share its cache
    if own := variables.get("SACREBLEU"):
        return [own]
    if platform == "win32":
        folder = variables.get("LOCALAPPDATA") or os.path.join(home, "AppData", "Local")
    elif platform == "darwin":
        folder = os.path.join(home, "Library", "Caches")
    else:
        folder = variables.get("XDG_CACHE_HOME", "")
        if not os.path.isabs(folder):  # the XDG specification says to ignore a relative path
            folder = os.path.join(home, ".cache")
    ours = os.path.join(folder, "bleu")
    return list(filter(exists, (ours, os.path.join(home, ".sacrebleu")))) or [ours]


# --- the files of a test set


def folder(name: str, cache: str = "") -> str:
    """Return the folder of a test set."""
    return os.path.join(cache or cache_directory(), *name.split("/"))


def raw_folder(name: str, cache: str = "") -> str:
    """Return the folder for the downloads of a test set."""
    return os.path.join(folder(name, cache), "raw")


def path_of(name: str, pair: str, field: str, cache: str = "") -> str:
    """Return the path of a field, which is the same as in sacreBLEU."""
    return os.path.join(folder(name, cache), f"{field_prefix(name, pair)}{field.replace(':', '-')}")


def paths_of(name: str, pair: str, names: Sequence[str], cache: str = "") -> dict[str, str]:
    """Return the path of each field; no two fields share one on any system.

    Of two fields with the same path (`ref:A`, and a system `ref-A`), the later one gets another path.
    """
    paths = keep_apart([path_of(name, pair, field, cache) for field in names], lambda path, number: f"{path}~{number}")
    return dict(zip(names, paths, strict=True))


def keep_apart(names: Iterable[str], other: Callable[[str, int], str], taken: Iterable[str] = ()) -> list[str]:
    """Return names that stay distinct even where case, Unicode forms and final dots make no difference.

    other: makes another name from one that is taken and a number from 2 on.

    >>> keep_apart(["ref-A", "B", "ref-a", "b."], lambda name, number: f"{name}~{number}")
    ['ref-A', 'B', 'ref-a~2', 'b.~2']
    """
    keys = {file_key(name) for name in taken}
    distinct = []
    for name in names:
        free, number = name, 1
        while file_key(free) in keys:
            number += 1
            free = other(name, number)
        keys.add(file_key(free))
        distinct.append(free)
    return distinct


def file_key(name: str) -> str:
    """Return a key that is equal for names that mean the same file on some system: macOS and Windows ignore case."""
    if name.isascii():
        return name.lower().rstrip(". ")
    from unicodedata import normalize

    # Unicode's canonical caseless matching (section 3.13): casefold expects decomposed characters
    return normalize("NFC", normalize("NFD", name).casefold()).rstrip(". ")


def is_file_name(name: str) -> bool:
    """Return whether the name of a translator or system can be part of a file's name on every system.

    >>> is_file_name("Online-A"), is_file_name("a/b"), is_file_name("")
    (True, False, False)
    """
    return 0 < len(name.encode()) <= MOST_NAME_BYTES and name.isprintable() and UNSAFE.isdisjoint(name)


def download_path(name: str, url: str, cache: str = "") -> str:
    """Return the path of a download."""
    return os.path.join(raw_folder(name, cache), f"{name.replace('/', '_')}.{last_component(url)}")


def field_prefix(name: str, pair: str) -> str:
    """Return what the names of all fields of a language pair begin with."""
    return f"{name.replace('/', '_')}.{pair}."


# Windows has no descriptors of folders, but only administrators may make links there
_HAS_DESCRIPTORS = {os.open, os.mkdir, os.rename, os.unlink, os.stat} <= os.supports_dir_fd
# No link is followed, a pipe in place of a file does not block, and Windows changes no line ends
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | _PLAIN
_FOLDER = getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_PATH", os.O_RDONLY)


# --- folders, whatever other users do there


def make_folder(path: str) -> None:
    """Make a folder, and those above it, unless they are there."""
    with _enter(path, make=True):
        pass


@contextmanager
def _locate(path: str) -> Iterator[Place]:
    """Give the name of a file, and the descriptor of its folder; errors of the system name the full path."""
    parent, name = os.path.split(path)
    try:
        with _enter(parent or ".") as descriptor:
            yield (path if descriptor is None else name), descriptor
    except OSError as error:
        if not os.path.isabs(error.filename or ""):
            error.filename, error.filename2 = path, None
        raise


@contextmanager
def _enter(folder: str, make: bool = False) -> Iterator[int | None]:
    """Give a descriptor of a folder, which is reached without following another user's link."""
    top, below = cache_directory(), ""
    if os.path.join(folder, "").startswith(os.path.join(top, "")):
        below = folder[len(os.path.join(top, "")) :]
    else:
        top = folder
    if make:
        os.makedirs(top if _HAS_DESCRIPTORS else folder, exist_ok=True)
    if not _HAS_DESCRIPTORS:
        yield None
        return
    descriptor = os.open(top, _FOLDER)
    try:
        for part in filter(None, below.split(os.sep)):
            top = os.path.join(top, part)
            outer, descriptor = descriptor, _open_folder(descriptor, part, top, make)
            os.close(outer)
        yield descriptor
    finally:
        os.close(descriptor)


def _open_folder(outer: int, name: str, path: str, make: bool) -> int:
    try:
        if make:
            with suppress(FileExistsError):
                os.mkdir(name, dir_fd=outer)
        link = os.stat(name, dir_fd=outer, follow_symlinks=False)
        if not stat.S_ISLNK(link.st_mode):
            return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=outer)
        if link.st_uid in (0, os.geteuid()):
            descriptor = os.open(name, _FOLDER, dir_fd=outer)
            after = os.stat(name, dir_fd=outer, follow_symlinks=False)
            # The time differs if another link took the place of this one, even for a moment
            if (link.st_ino, link.st_ctime_ns) == (after.st_ino, after.st_ctime_ns):
                return descriptor
            os.close(descriptor)
    except OSError as error:
        error.filename = path
        raise
    raise BleuError(
        f"{path} is a link that belongs to another user, so bleu does not follow it; delete it, or set BLEU_HOME to a"
        " folder of your own"
    )


# --- new files


class Draft:
    """A new file under a name that no one can guess, until `keep` gives it its own; a context removes it unless kept.

    Drafts of the same file that a killed run left are removed. No one else is writing them: that takes the file's lock.
    A file or link in its place is replaced. folder: that of the draft, on the same disk; by default, the file's own.
    """

    def __init__(self, path: str, folder: str = "") -> None:
        self.path = path
        folder, name = folder or os.path.dirname(path), os.path.basename(path)
        leftovers = re.compile(re.escape(name) + r"\.[0-9a-f]{16}\.new")
        with suppress(FileNotFoundError):
            for leftover in filter(leftovers.fullmatch, os.listdir(folder or ".")):
                with suppress(OSError):  # a folder of that name, or another user's file
                    remove(os.path.join(folder, leftover))
        self._draft = os.path.join(folder, f"{name}.{os.urandom(8).hex()}.new")
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


def create(path: str) -> IO[bytes]:
    """Make a new file to read and write; it must not exist."""
    with _locate(path) as (name, folder):
        return os.fdopen(os.open(name, _NEW, 0o666, dir_fd=folder), "w+b")


# --- files that are there


def read_start(path: str, most: int = 1 << 20) -> bytes | None:
    """Return the start of a small file; None if there is none."""
    try:
        with _open_plain(path, path, os.O_RDONLY) as file:
            return file.read(most)
    except (FileNotFoundError, NotADirectoryError):
        return None


def _open_plain(name: str, path: str, flags: int, folder: int | None = None) -> IO[bytes]:
    """Open a plain file for reading; `name` is relative to `folder`, `path` is for messages."""
    not_plain = BleuError(f"{path} is a link, a pipe or a device, not a plain file; delete it")
    try:
        file = os.fdopen(os.open(name, flags | _PLAIN, dir_fd=folder), "rb")
    except OSError:
        if os.path.islink(path):
            raise not_plain from None
        raise
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise not_plain
    return file


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


# --- locks

_ADVICE = "set BLEU_HOME to a folder on a disk with locks"


@contextmanager
def hold_lock(path: str) -> Iterator[None]:
    """Hold the lock file `path`; wait while another process or thread holds it.

    The holder removes the file, so a process that waited may find that the name is gone or belongs to another file. It
    then tries again. A file with other hard links is replaced: two locks on the same file would wait for each other.
    """
    while True:
        with _open_lock(path) as file:
            lock(file, path, _ADVICE)
            if not _is_at(file, path):
                continue
            if os.fstat(file.fileno()).st_nlink > 1:
                remove(path)
                continue
            try:
                yield
            finally:
                with suppress(OSError):  # Windows keeps open files, and some folders keep those of other users
                    remove(path)
            return


def sweep(path: str) -> None:
    """Remove the lock file of a killed process if no process holds the lock."""
    if os.path.lexists(path):
        with suppress(OSError, BleuError), _open_lock(path) as file:
            if try_lock(file, path, _ADVICE) and _is_at(file, path):
                remove(path)


def _is_at(file: IO[bytes], path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False


def _open_lock(path: str) -> IO[bytes]:
    """Open a file that every user may lock, even if another user left it; make it if it is missing."""
    with _locate(path) as (name, folder):
        while True:  # others may make or remove the file between our two attempts
            try:
                return _open_plain(name, path, os.O_RDWR, folder)  # locks on network disks need to write
            except PermissionError:
                return _open_plain(name, path, os.O_RDONLY, folder)
            except FileNotFoundError:
                with suppress(FileExistsError):
                    file = create(path)
                    if hasattr(os, "fchmod"):  # regardless of the umask, since another user may wait for it
                        os.fchmod(file.fileno(), 0o666)
                    return file
