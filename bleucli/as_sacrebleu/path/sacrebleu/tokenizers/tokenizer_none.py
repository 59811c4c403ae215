"""Text that is already tokenized."""

from __future__ import annotations

from sacrebleu.tokenizers.tokenizer_base import BaseTokenizer

__all__ = ["BaseTokenizer", "NoneTokenizer"]


class NoneTokenizer(BaseTokenizer):
    """`none`."""

    _name = "none"
