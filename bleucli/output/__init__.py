"""Renderers: each a function from finished results to text."""

from collections import namedtuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NamedTuple

    class Layout(NamedTuple):
        """How a score is printed.

        width: decimals. short: signatures with short keys. score_only: the number alone. colour: for a terminal.
        bold_best: the best of each column in bold.
        """

        width: int = 1
        short: bool = False
        score_only: bool = False
        colour: bool = False
        bold_best: bool = False

else:
    Layout = namedtuple("Layout", "width short score_only colour bold_best", defaults=(1, False, False, False, False))
