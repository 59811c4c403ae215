"""The BLEU tokenizers by name.

A tokenizer maps one segment to a string whose tokens are separated by white space. `get` finds one; `NAMES` lists them.
"""

from collections.abc import Callable

from bleucli.errors import UsageError
from bleucli.segments import Segments
from bleucli.tokenizers.characters import Characters
from bleucli.tokenizers.mteval import Mteval13a

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    class Tokenizer(Protocol):
        """What every tokenizer offers."""

        @property
        def signature(self) -> str:
            """How signatures name it."""

        def tokenize(self, segments: Segments) -> Segments:
            """Return the segments with their tokens separated by white space; missing ones stay missing."""


class Untouched:
    """No tokenization: white space alone separates tokens.

    >>> list(Untouched().tokenize(Segments.from_strings(["a, b"])))
    ['a, b']
    """

    signature = "none"

    def tokenize(self, segments: Segments) -> Segments:
        """Return `segments` as they are."""
        return segments


_TABLE: "dict[str, Callable[[], Tokenizer]]" = {"none": Untouched, "13a": Mteval13a, "char": Characters}

NAMES = tuple(_TABLE)
DEFAULT = "13a"


def get(name: str) -> "Tokenizer":
    """Return the tokenizer of that name.

    Raises:
        UsageError: there is none.

    >>> get("13a").signature
    '13a'
    """
    if name not in _TABLE:
        raise UsageError(f"unknown tokenizer {name!r}; choose one of {', '.join(NAMES)}")
    return _TABLE[name]()
