"""Renderers: each a function from finished results to text."""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Layout(NamedTuple):
        """How a score is printed: decimals, signatures with short keys, the number alone."""

        width: int = 1
        short: bool = False
        score_only: bool = False

else:
    Layout = namedtuple("Layout", "width short score_only", defaults=(1, False, False))
