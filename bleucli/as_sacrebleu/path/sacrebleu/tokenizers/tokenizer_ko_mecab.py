"""Korean."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerKoMecab"]


class TokenizerKoMecab(BaseTokenizer):
    """`ko-mecab`."""

    _name = "ko-mecab"
