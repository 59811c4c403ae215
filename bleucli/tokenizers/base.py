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


# How many lines a tokenizer keeps with their tokens: as a rule 2 MB
_KEPT_LINES = 1 << 12


class OfLines(ABC):
    """Tokenizers that take a line as well as `Segments`. They keep the tokens of lines, which programs ask for again.

    Calling one with a line returns the line with its tokens separated by white space, and raises TypeError for what is
    not a string.

    >>> from bleucli.tokenizers import get
    >>> get("13a")("Well, no.")
    'Well , no .'
    """

    # Each tokenizer has its own function: a line that is kept then takes half of a method's time
    __slots__ = ("__call__",)

    if TYPE_CHECKING:

        def __call__(self, line: str) -> str:
            """Return a line with its tokens separated by white space."""

    def __new__(cls, *arguments: object, **options: object) -> Self:
        """Return a tokenizer that keeps nothing so far."""
        tokenizer = super().__new__(cls)
        _set_call(tokenizer, tokenizer._call_first)
        return tokenizer

    def _call_first(self, line: str) -> str:
        """Return the tokens of a line; from now on, the latest lines are kept."""
        from functools import lru_cache  # takes a twentieth of the command's time, which calls no tokenizer

        call = lru_cache(_KEPT_LINES)(self.split_line)
        _set_call(self, call)
        return call(line)

    @abstractmethod
    def tokenize(self, segments: Segments) -> Segments:
        """Return the segments with their tokens separated by white space; missing ones stay missing."""

    def split_line(self, line: str) -> str:
        """Return what calling the tokenizer does, without keeping it."""
        return self.tokenize(Segments.from_strings([string("line", line)], "line"))[0] or ""

    def __getstate__(self) -> dict[str, object]:
        return vars(self)

    def __deepcopy__(self, memo: object) -> Self:
        return self  # metrics share tokenizers


# A class may have a method in the place of the function
_set_call = OfLines.__call__.__set__  # type: ignore[attr-defined, misc]


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

    if not TYPE_CHECKING:
        __call__ = "".__add__  # in C, it returns a string as it is


class Unloaded(OfLines):
    """A tokenizer of which only the signature is known, for statistics of texts that were counted earlier."""

    def __init__(self, signature: str) -> None:
        self.signature = signature

    def tokenize(self, segments: Segments) -> Segments:
        """Raise an error: there is nothing to tokenize with."""
        raise BleuError(f"the tokenizer {self.signature} is known only by name; to count texts, make a metric with it")
