"""Waiting is never silent: a terminal shows at once what is waited for; elsewhere, a note says so if it takes a while.

- `lock`, `try_lock`: lock a file, once no other process holds it
- `show_status`: what the program is waiting for, on a terminal
- `note_delay`: the same as a note, if there is no terminal
"""

from __future__ import annotations

import errno
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from bleucli.errors import BleuError, Note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO

SECONDS_BEFORE_NOTE = 3.0
_LONGEST_PAUSE = 0.2
_HELD = (errno.EAGAIN, errno.EACCES)


def lock(file: IO[bytes] | IO[str], name: str, advice: str, shared: bool = False) -> None:
    """Lock a file; wait while another process or thread holds it. The lock ends when the file is closed.

    Args:
        file: the file, open.
        name: what messages call it.
        advice: what to do if its disk does not support locks.
        shared: whether several processes may hold the lock, if all of them share it.
    """
    if try_lock(file, name, advice, shared):
        return
    waiting = f"waiting for another process, which holds {name}"
    start, pause, is_noted = time.monotonic(), 0.01, False
    with show_status(waiting):
        while not try_lock(file, name, advice, shared):
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            is_noted = is_noted or note_delay(waiting, start)


def try_lock(file: IO[bytes] | IO[str], name: str, advice: str, shared: bool = False) -> bool:
    """Lock a file unless another process or thread holds it; return whether it is locked now. See `lock`."""
    from portalocker import LockFlags
    from portalocker import lock as lock_now
    from portalocker.exceptions import AlreadyLocked, BaseLockException

    try:
        lock_now(file, LockFlags.NON_BLOCKING | (LockFlags.SHARED if shared else LockFlags.EXCLUSIVE))
    except AlreadyLocked:
        return False
    except BaseLockException as error:
        cause = error.args[0] if error.args else None
        if isinstance(cause, OSError) and cause.errno in _HELD:  # before portalocker 2.8
            return False
        raise BleuError(f"cannot lock {name} ({error}); {advice}") from None
    return True


def note_delay(text: str, start: float) -> bool:
    """Note what the program has been waiting for since `start`, if that is a while; return whether it did.

    On a terminal, `show_status` has shown it.
    """
    if is_watched() or time.monotonic() - start < SECONDS_BEFORE_NOTE:
        return False
    from bleucli.results.hints import warn

    warn(text, category=Note)
    return True


@contextmanager
def show_status(text: str) -> Iterator[None]:
    """Show a line on the terminal within the block."""
    if not is_watched():
        yield
        return
    from bleucli.prose.markup import visible

    try:  # COLUMNS describes stdout, and the bar ignores it, too
        width = os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        width = 80
    line = visible(text)[: width - 1]  # a full line would move the cursor to the next one
    sys.stderr.write(f"\r{line}")
    sys.stderr.flush()
    try:
        yield
    finally:
        sys.stderr.write(f"\r{' ' * len(line)}\r")
        sys.stderr.flush()


def is_watched() -> bool:
    """Return whether stderr is a terminal."""
    return sys.stderr is not None and not sys.stderr.closed and sys.stderr.isatty()
