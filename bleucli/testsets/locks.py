"""One process at a time: a lock that is a file, and leaves none.

A dead process holds nothing: its file stays, is locked by whoever comes next, and removed.
"""

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

    The holder removes the file, so whoever waited for it may find that it is no longer the one of that name, and
    waits for the new one.

    Raises:
        OSError: the file cannot be made.
        BleuError: it is not a plain file, or the disk cannot lock.
    """
    while True:
        with open_lock(path) as file:
            if not _is_locked(file, path):
                _wait(file, path)
            if _is_at(file, path):
                try:
                    yield
                finally:
                    with suppress(OSError):  # Windows removes no open file, some folders none of another user: it stays
                        remove(path)
                return


def sweep(path: str) -> None:
    """Remove a lock file that a killed process left behind, where nothing else needs the lock any more."""
    if os.path.lexists(path):
        with suppress(OSError, BleuError), open_lock(path) as file:
            if _is_locked(file, path) and _is_at(file, path):
                remove(path)


def _is_locked(file: "IO[bytes]", path: str) -> bool:
    """Lock a file, and return whether that was possible: nobody else holds it."""
    from portalocker import LockFlags, lock
    from portalocker.exceptions import AlreadyLocked, BaseLockException

    try:
        lock(file, LockFlags.EXCLUSIVE | LockFlags.NON_BLOCKING)
    except AlreadyLocked:
        return False
    except BaseLockException as error:
        cause = error.args[0] if error.args else None
        if isinstance(cause, OSError) and cause.errno in _HELD:  # so before portalocker 2.8
            return False
        raise BleuError(f"cannot lock {path} ({error}); set BLEU_HOME to a folder on a disk that can lock") from None
    return True


def _wait(file: "IO[bytes]", path: str) -> None:
    """Wait for a lock; on a terminal this is shown at once, and elsewhere said if it takes a while."""
    import warnings

    waiting = f"waiting for another process, which holds {path}"
    told = is_watched()
    end, pause = time.monotonic() + SECONDS_BEFORE_NOTE, 0.01
    with show_status(waiting):
        while not _is_locked(file, path):
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            if not told and time.monotonic() > end:
                warnings.warn(waiting, Note, stacklevel=2)
                told = True


def _is_at(file: "IO[bytes]", path: str) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), os.lstat(path))
    except FileNotFoundError:
        return False
