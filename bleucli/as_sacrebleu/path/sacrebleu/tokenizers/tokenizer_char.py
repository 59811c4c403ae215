"""Characters."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerChar"]


class TokenizerChar(BaseTokenizer):
    """`char`."""

    _name = "char"
