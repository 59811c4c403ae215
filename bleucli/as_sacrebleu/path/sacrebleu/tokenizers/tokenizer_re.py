"""The last step of `13a`."""

from __future__ import annotations

from bleucli.kernels import python
from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerRegexp"]


class TokenizerRegexp(BaseTokenizer):
    """Split off ASCII punctuation except within numbers, as `13a` does after it has decoded entities."""

    def signature(self) -> str:
        """Return its name in signatures."""
        return "re"

    def __call__(self, line: str) -> str:
        """Return a line with its tokens separated by white space."""
        return python.split_punctuation(line)
