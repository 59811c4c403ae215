"""The base of all tokenizers, and those that are too small for their own module."""

from __future__ import annotations

from abc import ABC, abstractmethod

from bleucli import kernels
from bleucli.errors import BleuError
from bleucli.limits import string
from bleucli.text import Segments

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Self


# How many lines a tokenizer keeps with their tokens, and the longest that it keeps: as a rule 3 MB, at most 50
_KEPT_LINES, _LONGEST_KEPT = 1 << 13, 500


class OfLines(ABC):
    """Tokenizers that take a line as well as `Segments`. They keep the tokens of lines, which programs ask for again.

    >>> from bleucli.tokenizers import get
    >>> get("13a")("Well, no.")
    'Well , no .'
    """

    # The tokens of lines; each tokenizer makes its own when it keeps the first
    _kept: dict[str, str] = {}  # noqa: RUF012 # never filled

    @abstractmethod
    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with their tokens separated by white space; missing ones stay missing."""

    def __call__(self, line: str) -> str:
        """Return a line with its tokens separated by white space.

        Raises:
            InputTypeError: it is not a string.
        """
        try:
            tokens = self._kept.get(line)
        except TypeError:  # not a string, as `split_line` says
            tokens = None
        return self.keep(line) if tokens is None else tokens

    def keep(self, line: str) -> str:
        """Return the tokens of a line, and keep them."""
        tokens = self.split_line(line)
        if len(line) <= _LONGEST_KEPT:
            if not self._kept or len(self._kept) >= _KEPT_LINES:
                self._kept = {}
            self._kept[line] = tokens
        return tokens

    def split_line(self, line: str) -> str:
        """Return what calling the tokenizer does, without keeping it."""
        return self.tokenize(Segments.from_strings([string("line", line)], "line"))[0] or ""

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in vars(self).items() if name != "_kept"}

    def __deepcopy__(self, memo: object) -> Self:
        return self  # metrics share tokenizers


class KernelTokenizer(OfLines):
    """`13a`, `zh` and `char`; see the kernels `tokenize_13a`, `tokenize_zh` and `tokenize_char`.

    >>> list(KernelTokenizer("13a").tokenize(Segments.from_strings(["It costs $5.00 (net)."])))
    ['It costs $ 5.00 ( net ) .']
    >>> list(KernelTokenizer("zh").tokenize(Segments.from_strings(["我用AI，很好。"])))
    ['我 用 AI ， 很 好 。']
    >>> list(KernelTokenizer("char").tokenize(Segments.from_strings(["東京"])))
    ['東 京']
    """

    def __init__(self, name: str) -> None:
        self.signature = name
        self._kernel = f"tokenize_{name}"

    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with a space between tokens; missing ones stay missing."""
        tokens: Segments = getattr(kernels, self._kernel)(segments)
        return tokens

    def __reduce__(self) -> tuple[type[KernelTokenizer], tuple[str]]:
        return type(self), (self.signature,)  # another process may use the other kernels


class Characters(KernelTokenizer):
    """`char`.

    >>> Characters("char")("東京")
    '東 京'
    """

    def split_line(self, line: str) -> str:
        """Return what calling the tokenizer does, without keeping it: to make segments of a line takes longer."""
        try:
            str.encode(line)  # refuses lone surrogates
        except (TypeError, UnicodeEncodeError):
            return super().split_line(line)  # it says what is wrong
        return " ".join(line)


class Untouched(OfLines):
    """No tokenization: white space alone separates tokens.

    >>> list(Untouched().tokenize(Segments.from_strings(["a, b"])))
    ['a, b']
    """

    signature = "none"

    def tokenize(self, segments: Segments) -> Segments:
        """Return `segments` unchanged."""
        return segments

    def __call__(self, line: str) -> str:
        """Return the line unchanged.

        Raises:
            InputTypeError: it is not a string.
        """
        return line if type(line) is str else string("line", line)

    split_line = keep = __call__


class Unloaded(OfLines):
    """A tokenizer of which only the signature is known, for statistics of texts that were counted earlier."""

    def __init__(self, signature: str) -> None:
        self.signature = signature

    def tokenize(self, segments: Segments) -> Segments:
        """Raise an error: there is nothing to tokenize with."""
        raise BleuError(f"the tokenizer {self.signature} is known only by name; to count texts, make a metric with it")
