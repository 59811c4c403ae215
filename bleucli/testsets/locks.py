"""One process at a time: a lock on a file, which is removed afterwards.

A process that dies loses its lock; its file stays until the next process locks and removes it.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError, Note
from bleucli.testsets.cachefiles import open_lock, remove
from bleucli.testsets.progress import is_watched, show_status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

SECONDS_BEFORE_NOTE = 3.0
_LONGEST_PAUSE = 0.2
_HELD = (errno.EAGAIN, errno.EACCES)


@contextmanager
def hold_lock(path: str) -> Iterator[None]:
    """Hold the lock file `path`; wait while another process or thread holds it.

    The holder removes the file, so a process that waited may find that the name is gone or belongs to another file. It
    then tries again. A file with other hard links is replaced: two locks on the same file would wait for each other.

    Raises:
        OSError: the file cannot be made.
        BleuError: it is not a plain file, or the file system has no locks.
    """
    while True:
        with open_lock(path) as file:
            if not _is_locked(file, path):
                _wait(file, path)
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
        with suppress(OSError, BleuError), open_lock(path) as file:
            if _is_locked(file, path) and _is_at(file, path):
                remove(path)


def _is_locked(file: IO[bytes], path: str) -> bool:
    """Lock a file if no one else holds the lock; return whether that worked."""
    from portalocker import LockFlags, lock
    from portalocker.exceptions import AlreadyLocked, BaseLockException

    try:
        lock(file, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
    except AlreadyLocked:
        return False
    except BaseLockException as error:
        cause = error.args[0] if error.args else None
        if isinstance(cause, OSError) and cause.errno in _HELD:  # before portalocker 2.8
            return False
        raise BleuError(f"cannot lock {path} ({error}); set BLEU_HOME to a folder on a disk with locks") from None
    return True


def _wait(file: IO[bytes], path: str) -> None:
    """Wait for a lock; a terminal shows this at once; elsewhere, a note says so if it takes a while."""
    from bleucli.hints import warn

    waiting = f"waiting for another process, which holds {path}"
    told = is_watched()
    end, pause = time.monotonic() + SECONDS_BEFORE_NOTE, 0.01
    with show_status(waiting):
        while not _is_locked(file, path):
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            if not told and time.monotonic() > end:
                warn(waiting, category=Note)
                told = True


def _is_at(file: IO[bytes], path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False
