"""One process at a time: a lock that is a file, and leaves none."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from bleucli.errors import BleuError
from bleucli.testsets.progress import status

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO


@contextmanager
def locked(path: str) -> Iterator[None]:
    """Hold the lock file `path`; wait while another process or thread holds it.

    The holder removes the file, so whoever waited for it may find that it is no longer the one of that name, and
    waits for the new one.
    """
    while True:
        with open(path, "ab") as file:
            _lock(file, path)
            if _is_at(file, path):
                try:
                    yield
                finally:
                    with suppress(OSError):  # Windows removes no open file: there it stays, empty
                        os.remove(path)
                return


def sweep(path: str) -> None:
    """Remove a lock file that a killed process left behind, where nothing else needs the lock any more."""
    if os.path.exists(path):
        with suppress(OSError, BleuError), locked(path):
            pass


def _lock(file: "IO[bytes]", path: str) -> None:
    from portalocker import LockFlags, lock
    from portalocker.exceptions import BaseLockException

    with suppress(BaseLockException):
        return lock(file, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
    try:
        with status(f"waiting for another process, which holds {path}"):
            lock(file, LockFlags.EXCLUSIVE)
    except BaseLockException as error:
        raise BleuError(f"cannot lock {path} ({error}); set BLEU_HOME to a folder on a disk that can lock") from None


def _is_at(file: "IO[bytes]", path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.stat(path))
    except FileNotFoundError:
        return False
