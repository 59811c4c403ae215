"""Japanese."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerJaMecab"]


class TokenizerJaMecab(BaseTokenizer):
    """`ja-mecab`."""

    _name = "ja-mecab"
