"""One process at a time: a lock on a file, which is removed afterwards.

A process that dies loses its lock; its file stays until the next process locks and removes it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError
from bleucli.testsets.cachefiles import open_lock, remove
from bleucli.waiting import lock, try_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

_ADVICE = "set BLEU_HOME to a folder on a disk with locks"


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
        with suppress(OSError, BleuError), open_lock(path) as file:
            if try_lock(file, path, _ADVICE) and _is_at(file, path):
                remove(path)


def _is_at(file: IO[bytes], path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False
