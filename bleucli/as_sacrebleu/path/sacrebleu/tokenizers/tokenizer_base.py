"""What all tokenizers share."""

from __future__ import annotations

from typing import Any

from bleucli import tokenizers
from bleucli.segments import Segments


class BaseTokenizer:
    """A tokenizer of bleucli with the methods of sacreBLEU's: calling it with a line returns the line's tokens."""

    _name = "none"

    def __init__(self) -> None:
        self._ours: Any = tokenizers.get(self._name)

    @classmethod
    def around(cls, ours: Any) -> BaseTokenizer:
        """Wrap a tokenizer of bleucli."""
        made = cls.__new__(cls)
        made._ours = ours
        return made

    def signature(self) -> str:
        """Return its name in signatures."""
        return str(self._ours.signature)

    def tokenize(self, segments: Segments) -> Segments:
        """Return segments with their tokens separated by white space."""
        tokens: Segments = self._ours.tokenize(segments)
        return tokens

    def __call__(self, line: str) -> str:
        """Return a line with its tokens separated by white space."""
        return str(self._ours(line))
