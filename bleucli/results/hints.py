"""What a user should know about texts and options: hints, which Python shows as warnings.

- `Hint`: a sentence that says what was counted
- `about`: a hint that names its system
- `warn`: a warning that points at the line that called this package
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Mapping

from bleucli.errors import BleuWarning
from bleucli.phrases import Turn, in_command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


class Hint(Turn):
    """A sentence that says what was counted, and so differs from text to text.

    Args:
        text: the sentence.
        kind: the same sentence without what was counted, so that all hints of one kind share it; "" if it is the same.
        command: the sentence in the wording of the command; "" if it is the same.
        numbers: what was counted, by name.

    >>> hint = Hint("120 lines are empty; fill them", "lines are empty; fill them", lines=120)
    >>> hint, hint.kind, hint.numbers
    ('120 lines are empty; fill them', 'lines are empty; fill them', {'lines': 120})
    """

    kind: str
    numbers: Mapping[str, float]

    def __new__(cls, text: str, kind: str = "", command: str = "", **numbers: float) -> Self:
        """Make a string with three attributes."""
        hint = super().__new__(cls, text, command or text)
        hint.kind, hint.numbers = kind or text, numbers
        return hint


def about(system: str, hint: str) -> Hint:
    """Return a hint that says which system it is about.

    >>> about("A", Hint("120 lines are empty", "lines are empty", lines=120)).kind
    'A: lines are empty'
    """
    kind, numbers = (hint.kind, hint.numbers) if isinstance(hint, Hint) else (hint, {})
    return Hint(f"{system}: {hint}", f"{system}: {kind}", f"{system}: {in_command(hint)}", **numbers)


def warn(hint: str, category: type[BleuWarning] = BleuWarning) -> None:
    """Warn of a `Hint`, or of any sentence, at the line of the program that called this package."""
    kind, numbers = (hint.kind, hint.numbers) if isinstance(hint, Hint) else (hint, {})
    warnings.warn(category(kind, hint, numbers), stacklevel=_level_of_caller())


def _level_of_caller() -> int:
    """Return the `stacklevel` of the innermost caller outside this package, for `warn`.

    From Python 3.12 on, the argument `skip_file_prefixes` of `warnings.warn` does this.
    """
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
