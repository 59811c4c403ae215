"""Punctuation of any script."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerV14International"]


class TokenizerV14International(BaseTokenizer):
    """`intl`."""

    _name = "intl"
