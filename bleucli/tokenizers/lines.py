"""What makes a tokenizer callable on a single string."""

from abc import ABC, abstractmethod

from bleucli.limits import string
from bleucli.segments import Segments


class OfLines(ABC):
    """Tokenizers that take a line as well as `Segments`.

    >>> from bleucli.tokenizers import get
    >>> get("13a")("Well, no.")
    'Well , no .'
    """

    @abstractmethod
    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with their tokens separated by white space; missing ones stay missing."""

    def __call__(self, line: str) -> str:
        """Return a line with its tokens separated by white space.

        Raises:
            InputTypeError: it is not a string.
        """
        (tokens,) = self.tokenize(Segments.from_strings([string("line", line)], "line"))
        return tokens or ""
