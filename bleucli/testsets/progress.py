"""What a terminal shows during a download: on stderr, and only if that is a terminal.

- `show_bar`: how much has arrived
- `show_status`: what the program is waiting for
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from bleucli.markup import visible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from tqdm import tqdm

SECONDS_BEFORE_BAR = 1.0


def show_bar(name: str, start: int, total: int | None) -> tqdm[NoReturn]:
    """Return a progress bar that appears if the download takes a while.

    Args:
        name: the name of the file.
        start: the number of bytes that are already there.
        total: the number of bytes of the file; None if unknown.
    """
    from tqdm import tqdm

    return tqdm(
        total=total,
        initial=start,
        desc=visible(name),
        unit="B",
        unit_scale=True,
        leave=False,
        delay=SECONDS_BEFORE_BAR,
        dynamic_ncols=True,
        disable=not is_watched(),
    )


@contextmanager
def show_status(text: str) -> Iterator[None]:
    """Show a line on the terminal within the block."""
    if not is_watched():
        yield
        return
    line = visible(text)[: _terminal_width() - 1]  # a full line would move the cursor to the next one
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


def _terminal_width() -> int:
    """Return the width of the terminal; COLUMNS describes stdout, and the bar ignores it, too."""
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80
