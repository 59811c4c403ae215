"""What all tokenizers share.

- `BaseTokenizer`: the base class
- `is_ours`: whether a tokenizer does what this package's do, so that kernels may do it
- `name_of`: the name of a tokenizer in signatures
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

from bleucli import tokenizers
from bleucli.text import Segments


class BaseTokenizer:
    """A tokenizer of bleucli with the methods of sacreBLEU's: calling it with a line returns the line's tokens.

    A program's own tokenizer is derived from this class, and overrides `__call__` and `signature`.
    """

    _name = ""

    @cached_property
    def _ours(self) -> Any:
        if not self._name:
            raise NotImplementedError(f"{type(self).__name__} does not define __call__ and signature")
        return tokenizers.get(self._name)

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


# What calling a tokenizer does unless a program replaces it
standard_call = BaseTokenizer.__call__


def is_ours(tokenizer: object) -> bool:
    """Return whether calling a tokenizer does what this package's tokenizers do, so that kernels may do it."""
    return getattr(type(tokenizer), "__call__", None) is standard_call  # noqa: B004 # which one, not whether


def name_of(tokenizer: Any) -> str:
    """Return the name of a tokenizer in signatures: what it says itself, or else the name of its class or function."""
    signature = getattr(tokenizer, "signature", None)
    try:
        name = signature() if callable(signature) else signature
    except NotImplementedError:
        name = None
    return str(name or getattr(tokenizer, "__name__", type(tokenizer).__name__))
