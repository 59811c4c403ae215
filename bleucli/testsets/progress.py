"""How much of a download has arrived: a bar on stderr, if that is a terminal."""

from __future__ import annotations

from bleucli.prose.markup import visible
from bleucli.waiting import is_watched

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
