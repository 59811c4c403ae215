"""The default tokenizer."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "Tokenizer13a"]


class Tokenizer13a(BaseTokenizer):
    """`13a`."""

    _name = "13a"
