"""Chinese."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "TokenizerZh"]


class TokenizerZh(BaseTokenizer):
    """`zh`."""

    _name = "zh"
